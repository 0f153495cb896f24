import { expect, test } from 'vitest';
import { configure, type SettingsInput } from '../../lib/config.ts';
import { EXTENDED, synthesize } from './synthesized.ts';

/** Type → property with the physical name, and the most characters that the service takes. */
const LIMITS: Record<string, [property: string, max: number]> = {
  'AWS::Backup::BackupVault': ['BackupVaultName', 50],
  'AWS::CloudFront::ConnectionGroup': ['Name', 64],
  'AWS::CloudFront::Function': ['Name', 64],
  'AWS::CloudFront::KeyValueStore': ['Name', 64],
  'AWS::CloudWatch::Alarm': ['AlarmName', 255],
  'AWS::CloudWatch::CompositeAlarm': ['AlarmName', 255],
  'AWS::CloudWatch::Dashboard': ['DashboardName', 255],
  'AWS::CodeBuild::Project': ['Name', 150],
  'AWS::CodeDeploy::Application': ['ApplicationName', 100],
  'AWS::CodeDeploy::DeploymentGroup': ['DeploymentGroupName', 100],
  'AWS::Cognito::UserPoolDomain': ['Domain', 63],
  'AWS::IAM::Role': ['RoleName', 64],
  'AWS::Lambda::CapacityProvider': ['CapacityProviderName', 140],
  'AWS::Lambda::Function': ['FunctionName', 64],
  'AWS::Logs::DeliveryDestination': ['Name', 60],
  'AWS::Logs::DeliverySource': ['Name', 60],
  'AWS::S3::Bucket': ['BucketName', 63],
  'AWS::SQS::Queue': ['QueueName', 80],
  'AWS::StepFunctions::StateMachine': ['StateMachineName', 80],
  'AWS::WAFv2::WebACL': ['Name', 128],
};

const ACCOUNT = '123456789012';
const REGION = 'ap-southeast-1';
const cell = (id: string) => ({ id, account: '222222222222', region: REGION, appsDomain: 'hosted-b.example' });
const domains = { domain: 'hosting.example', hostedZoneId: 'Z1', appsDomain: 'hosted.example', appsHostedZoneId: 'Z2' };
const ALLOWED: SettingsInput[] = [
  { stage: 'production1', backupRegion: 'ap-northeast-3', cells: [cell('abc')] },
  { stage: 'production12', cells: [cell('ab')] },
];

test.each(ALLOWED)('the longest names that settings allow fit into the limits of the services: %j', (longest) => {
  const more = { account: ACCOUNT, region: REGION, monitoring: 'full', aiCapacity: 'managed' } as const;
  const { stacks } = synthesize({ ...more, ...longest });
  const seen = new Set<string>();
  const long = stacks.flatMap(({ template }) =>
    Object.values(template.Resources).flatMap(({ Type, Properties = {} }) => {
      const [property = '', max = 0] = LIMITS[Type] ?? [];
      const name: unknown = (Properties as Record<string, unknown>)[property];
      if (typeof name !== 'string') return [];
      seen.add(Type);
      return name.length > max ? [`${Type} ${name}`] : [];
    }),
  );
  expect(long).toEqual([]);
  const types = Object.keys(LIMITS).filter((type) => longest.backupRegion || type !== 'AWS::Backup::BackupVault');
  expect([...seen].sort()).toEqual(expect.arrayContaining(types));
});

test('the resolved template has each resource by its own name, under which the preflight looks for what is left over', () => {
  const { template } = synthesize({ stage: 'prod', ...EXTENDED });
  const others = Object.entries(LIMITS).flatMap(([type, [property]]) =>
    template
      .resources(type)
      .map(({ name, properties }) => [name, properties[property] ?? name])
      .filter(([name, given]) => name !== given)
      .map(([name, given]) => `${type} ${given} is ${name}`),
  );
  expect(others).toEqual([]);
  const [edge] = template.resources('AWS::CloudFront::Function');
  expect(edge?.arn).toBe(`arn:aws:cloudfront::${ACCOUNT}:function/${edge?.properties.Name}`);
});

test.each<[settings: SettingsInput, error: RegExp]>([
  [{ stage: 'production12', backupRegion: 'ap-northeast-3' }, /^stage: too long .*-artifact-copies-/m],
  [{ stage: 'production12', cells: [cell('abc')], account: ACCOUNT }, /^stage, cells: too long .*-access-logs-/m],
])('one character more is refused before anything is created: %j', (settings, error) => {
  expect(() => configure({ region: REGION, ...domains, ...settings })).toThrow(error);
});
