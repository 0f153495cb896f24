import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Stack } from 'aws-cdk-lib/core';
import { describe, expect, test } from 'vitest';
import { createApp } from '../../lib/app.ts';
import { check } from '../../lib/constructs/checks.ts';
import { emptyBundles, synthesize, temporaryFolder } from './synthesized.ts';

/** A web app of one page. */
function builtPage(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'assets'));
  for (const file of ['index.html', 'assets/index-abc.js']) writeFileSync(join(folder, file), '');
  return folder;
}

/** The data of the platform: what must not go with a stack. */
const DATA = [
  'AWS::Cognito::UserPool',
  'AWS::DynamoDB::GlobalTable',
  'AWS::KMS::Key',
  'AWS::S3::Bucket',
  'AWS::S3::Bucket',
];

describe.each([
  { stage: 'prod', policy: 'Retain', deletionProtected: true },
  { stage: 'dev', policy: 'Delete', deletionProtected: false },
  { stage: 'local', policy: 'Delete', deletionProtected: false },
])('stage $stage', ({ stage, policy, deletionProtected }) => {
  const { stacks, template } = synthesize({ stage });
  const resources = stacks.flatMap(({ template: { Resources } }) => Object.values(Resources));

  test(`its data: ${policy} when a stack goes`, () => {
    const data = resources.filter(({ Type }) => DATA.includes(Type));
    expect(data.map(({ Type }) => Type).sort()).toEqual([...DATA].sort());
    for (const { Type, DeletionPolicy } of data) expect(DeletionPolicy, Type).toBe(policy);
  });

  test('the table can be restored to any second, and deleted only where it may be', () => {
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

  test('no stack comes near the 500 resources it may have', () => {
    for (const { stackName, template: each } of stacks) {
      expect(Object.keys(each.Resources).length, stackName).toBeLessThan(450);
    }
  });
});

test.each([
  { stage: 'dev' },
  { stage: 'prod', domain: 'hosting.example', hostedZoneId: 'Z0123456789ABC', alarmEmail: 'ops@hosting.example' },
])(
  'cdk-nag and CloudFormation have nothing to say about $stage',
  (settings) => {
    const app = createApp({ ...settings, bundles: emptyBundles(), webApp: builtPage(), outdir: temporaryFolder() });
    check(app);
    expect(() => app.synth()).not.toThrow();
  },
  60_000,
);

test('what nobody has a reason for fails the synthesis', () => {
  const app = createApp({ bundles: emptyBundles(), outdir: temporaryFolder() });
  new Queue(new Stack(app, 'careless'), 'Queue');
  check(app);
  expect(() => app.synth()).toThrow(/AwsSolutions-SQS4/);
}, 60_000);

test('a setting that cannot be is refused by name', () => {
  expect(() => synthesize({ stage: 'PROD!' })).toThrow(/stage/);
  expect(() => synthesize({ domain: 'not a domain' })).toThrow(/domain/);
});
