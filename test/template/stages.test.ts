import { Queue } from 'aws-cdk-lib/aws-sqs';
import { App, Stack } from 'aws-cdk-lib/core';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { applyNagChecks } from '../../bin/checks.ts';
import { createApp } from '../../lib/app.ts';
import { LOCAL_SETTINGS } from '../../local/template/settings.ts';
import { builtPage, EXTENDED, emptyBundles, synthesize, temporaryFolder } from './synthesized.ts';

/** Resources with data, which must survive the deletion of a stack. */
const DATA_TYPES = [
  'AWS::Cognito::UserPool',
  'AWS::DynamoDB::GlobalTable',
  'AWS::KMS::Key',
  'AWS::S3::Bucket',
  'AWS::S3::Bucket',
  'AWS::S3::Bucket',
];

describe.each([
  { settings: { stage: 'prod' }, policy: 'RetainExceptOnCreate', deletionProtected: true },
  { settings: { stage: 'dev' }, policy: 'Delete', deletionProtected: false },
  {
    settings: { stage: LOCAL_SETTINGS.stage, mailFrom: LOCAL_SETTINGS.mailFrom },
    policy: 'Delete',
    deletionProtected: false,
  },
])('stage $settings.stage', ({ settings, policy, deletionProtected }) => {
  const { stacks, template } = synthesize(settings);
  const resources = stacks.flatMap(({ template: { Resources } }) => Object.values(Resources));

  test(`its data: ${policy} when a stack is deleted`, () => {
    const data = resources.filter(({ Type }) => DATA_TYPES.includes(Type));
    expect(data.map(({ Type }) => Type).sort()).toEqual([...DATA_TYPES].sort());
    for (const { Type, DeletionPolicy } of data) expect(DeletionPolicy, Type).toBe(policy);
  });

  test('the table has point-in-time recovery, and deletion protection where it applies', () => {
    const [table] = template.resources('AWS::DynamoDB::GlobalTable');
    expect(table?.properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      TimeToLiveSpecification: { AttributeName: 'expiresAtEpoch', Enabled: true },
      Replicas: [
        {
          DeletionProtectionEnabled: deletionProtected,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        },
      ],
    });
  });

  test('every stack stays well below the limit of 500 resources', () => {
    for (const { stackName, template: each } of stacks) {
      const remedy = `${stackName}: give new operations a part of their own (lib/stacks/api-parts.ts); deployed ones cannot move`;
      expect(Object.keys(each.Resources).length, remedy).toBeLessThan(450);
    }
  });

  // https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
  test('the HTTP API stays below its 300 routes and 300 integrations, of which AWS raises only the first', () => {
    for (const type of ['AWS::ApiGatewayV2::Route', 'AWS::ApiGatewayV2::Integration'])
      expect(template.resources(type).length, type).toBeLessThan(290);
  });
});

// With the defaults, `npm run synth` applies the same checks (.ci/run).
test('cdk-nag and CloudFormation report nothing where all settings are used', () => {
  const app = createApp({
    backupRegion: 'eu-west-1',
    aiCapacity: 'managed',
    stage: 'prod',
    domain: 'hosting.example',
    hostedZoneId: 'Z0123456789ABC',
    alarmEmail: 'ops@hosting.example',
    appsDomain: 'hosted-apps.example',
    appsHostedZoneId: 'Z9876543210ABC',
    account: '123456789012',
    cells: [{ id: 'b', account: '222222222222', appsDomain: 'hosted-b.example', hostedZoneId: 'Z0CELLB' }],
    bundles: emptyBundles(),
    webApp: builtPage(),
    outdir: temporaryFolder(),
    assetsInPlace: true,
  });
  applyNagChecks(app);
  expect(() => app.synth()).not.toThrow();
}, 180_000);

test('an unexplained finding fails the synthesis', () => {
  // Loading CloudFormation's own rules takes longer than the rest.
  const app = new App({ outdir: temporaryFolder(), builtinCloudFormationValidation: false });
  new Queue(new Stack(app, 'careless'), 'Queue');
  applyNagChecks(app);
  expect(() => app.synth()).toThrow(/AwsSolutions-SQS4/);
});

test('a region for builds moves their project alone, and the functions address it there', () => {
  const { stacks, template } = synthesize({ stage: 'prod', buildRegion: 'eu-west-1' });
  const inRegion = (region: string) => stacks.filter((stack) => stack.region === region);
  expect(inRegion('eu-west-1').map(({ stackName }) => stackName)).toEqual(['hosting-prod-builder-af-south-1']);
  expect(inRegion('af-south-1').map(({ stackName }) => stackName)).toContain('hosting-prod-builds');
  const [project] = template.resources('AWS::CodeBuild::Project');
  expect(project).toMatchObject({
    arn: 'arn:aws:codebuild:eu-west-1:123456789012:project/hosting-prod-build-af-south-1',
    properties: { Source: { Location: expect.stringMatching(/^cdk-\w+-assets-123456789012-eu-west-1\//) } },
  });
  const builders = template.resources('AWS::Lambda::Function').filter(({ properties }) => {
    return JSON.stringify(properties.Environment).includes('BUILD_PROJECT_NAME');
  });
  expect(builders.map(({ name }) => name.replace('hosting-prod-', '')).sort()).toEqual([
    'queue-startWorkflow',
    'schedule-reconcile',
    'workflow-submitBuild',
    'workflow-watchBuild',
  ]);
  for (const { properties } of builders) {
    expect(properties.Environment).toMatchObject({ Variables: { BUILD_REGION: 'eu-west-1' } });
  }
});

test('a backup region keeps a daily copy of the table, and failures reach the operators', () => {
  const { stacks, template } = synthesize({ stage: 'prod', ...EXTENDED });
  const vaults = stacks.flatMap(({ region, template: { Resources } }) =>
    Object.values(Resources)
      .filter(({ Type }) => Type === 'AWS::Backup::BackupVault')
      .map(({ DeletionPolicy, Properties }) => [region, Properties?.BackupVaultName, DeletionPolicy]),
  );
  expect(vaults.sort()).toEqual([
    ['af-south-1', 'hosting-prod-table-af-south-1', 'RetainExceptOnCreate'],
    ['eu-west-1', 'hosting-prod-table-copies-af-south-1', 'RetainExceptOnCreate'],
  ]);
  const copies = template.resources('AWS::Backup::BackupVault').find(({ name }) => name.includes('copies'));
  expect(copies?.properties.AccessPolicy).toMatchObject({
    Statement: [
      { Effect: 'Deny', Principal: { AWS: '*' }, Action: expect.arrayContaining(['backup:DeleteRecoveryPoint']) },
    ],
  });
  const [plan] = template.resources('AWS::Backup::BackupPlan');
  expect(plan?.properties).toMatchObject({
    BackupPlan: {
      BackupPlanRule: [
        {
          ScheduleExpression: 'cron(0 1 * * ? *)',
          TargetBackupVault: 'hosting-prod-table-af-south-1',
          Lifecycle: { DeleteAfterDays: 3 },
          // AWS Backup requires at least an hour between the two.
          StartWindowMinutes: 60,
          CompletionWindowMinutes: 12 * 60,
          CopyActions: [
            {
              DestinationBackupVaultArn:
                'arn:aws:backup:eu-west-1:123456789012:backup-vault:hosting-prod-table-copies-af-south-1',
              Lifecycle: { DeleteAfterDays: 35 },
            },
          ],
        },
      ],
    },
  });
  const [selection] = template.resources('AWS::Backup::BackupSelection');
  expect(selection?.properties).toMatchObject({
    BackupSelection: { Resources: ['arn:aws:dynamodb:af-south-1:123456789012:table/hosting-prod'] },
  });
  const [failures] = template
    .resources('AWS::Events::Rule')
    .filter(({ properties }) => JSON.stringify(properties).includes('aws.backup'));
  expect(failures?.properties).toMatchObject({
    EventPattern: {
      source: ['aws.backup'],
      'detail-type': ['Backup Job State Change', 'Copy Job State Change'],
      detail: { state: ['FAILED', 'ABORTED', 'EXPIRED'] },
    },
    Targets: [{ Arn: 'arn:aws:sns:af-south-1:123456789012:hosting-prod-tickets' }],
  });
  const policies = template
    .resources('AWS::SNS::TopicPolicy')
    .filter(({ properties }) => JSON.stringify(properties).includes('events.amazonaws.com'));
  expect(policies).not.toEqual([]);
});

test('a backup region keeps a copy of each artifact, in which deletions arrive, and expires it as at home', () => {
  const { stacks, template } = synthesize({ stage: 'prod', ...EXTENDED });
  const bucket = (name: string) => {
    const found = template.resources('AWS::S3::Bucket').find((each) => each.name.startsWith(`hosting-prod-${name}-`));
    const stack = stacks.find(({ template: { Resources } }) =>
      Object.values(Resources).some(
        ({ Type, Properties }) => Type === 'AWS::S3::Bucket' && JSON.stringify(Properties?.BucketName).includes(name),
      ),
    );
    if (!found || !stack) throw new Error(`there is no bucket ${name}`);
    return { ...found.properties, stack } as Record<string, unknown> & { stack: typeof stack };
  };
  const copies = bucket('artifact-copies');
  expect(copies).toMatchObject({
    stack: { region: 'eu-west-1' },
    VersioningConfiguration: { Status: 'Enabled' },
    PublicAccessBlockConfiguration: { BlockPublicPolicy: true },
  });
  const home = bucket('builds');
  const rulesOf = (of: Record<string, unknown>) =>
    z
      .object({ Rules: z.array(z.looseObject({ Prefix: z.string().optional() })) })
      .parse(of.LifecycleConfiguration)
      .Rules.filter(({ Prefix }) => Prefix === 'artifacts/');
  expect(rulesOf(copies)).toEqual(rulesOf(home));
  expect(rulesOf(home)).toHaveLength(1);
  expect(home).toMatchObject({
    ReplicationConfiguration: {
      Rules: [
        {
          Status: 'Enabled',
          Filter: { Prefix: 'artifacts/' },
          DeleteMarkerReplication: { Status: 'Enabled' },
          Destination: { Bucket: 'arn:aws:s3:::hosting-prod-artifact-copies-123456789012-af-south-1' },
        },
      ],
    },
  });
  // S3 refuses a destination that is not there.
  expect(home.stack.dependsOn).toContain(copies.stack.stackName);
  expect(JSON.stringify(synthesize({ stage: 'prod' }).stacks.map(({ template }) => template))).not.toContain(
    'ReplicationConfiguration',
  );
});

test('without a backup region nothing is backed up elsewhere, and the own region is refused', () => {
  const types = synthesize({ stage: 'prod' }).stacks.flatMap(({ template: { Resources } }) =>
    Object.values(Resources).map(({ Type }) => Type),
  );
  expect(types.filter((type) => type.startsWith('AWS::Backup'))).toEqual([]);
  expect(() => synthesize({ stage: 'prod', backupRegion: 'af-south-1' })).toThrow(/backupRegion/);
});

test('rejects an invalid setting by name', () => {
  expect(() => synthesize({ stage: 'PROD!' })).toThrow(/stage/);
  expect(() => synthesize({ domain: 'not a domain' })).toThrow(/domain/);
});
