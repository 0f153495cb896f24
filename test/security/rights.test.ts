import { randomUUID } from 'node:crypto';
import { CodeBuildClient, StartBuildCommand } from '@aws-sdk/client-codebuild';
import { DSQLClient, GetClusterCommand } from '@aws-sdk/client-dsql';
import { CreateFunctionCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ListHostedZonesByNameCommand, Route53Client } from '@aws-sdk/client-route-53';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { afterEach, expect, test, vi } from 'vitest';
import { createApp, deleteApp } from '../../contract/apps/apps.ts';
import { addDnsRecord } from '../../contract/dns/records.ts';
import { App } from '../../table/entities/apps.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { change, create } from '../../table/writes.ts';
import { inEveryCell } from '../support/cells.ts';
import { registerDomain } from '../support/domains.ts';
import { invokeFunction } from '../support/functions.ts';
import { local, newAccount, waitFor } from '../support/harness.ts';
import { actAs } from '../support/roles.ts';

/** Code of the platform under the synthesized role of its function, against the emulators (docs/decisions/0034). */

afterEach(() => {
  delete process.env.AWS_SESSION_TOKEN;
  vi.resetModules();
});

/** Creates an application that is not deployed. */
async function newApp() {
  const account = await newAccount();
  const { data } = (await account.call(createApp, { body: { name: 'Rights', framework: 'NODE' } })).body;
  return { account, accountId: account.id, applicationId: data.id };
}

const changed = () => new Error('The item has changed.');

test('the reconciler’s role may stop a build and start the teardown of a deleted application again', async () => {
  const { account, accountId, applicationId: id } = await newApp();
  await actAs('schedule-reconcile', local);
  const [{ startTeardown }, { machines }, { buildRunner }, { deps }] = await Promise.all([
    import('../../domain/deployments/executions.ts'),
    import('../../runtime/bindings/executions.ts'),
    import('../../runtime/bindings/build-runner.ts'),
    import('../../runtime/deps.ts'),
  ]);
  const app = await deps.table.get(App, { accountId, id });
  if (!app) throw new Error('The application is missing');
  const deploymentId = `dep_${randomUUID()}`;
  const of = { id: deploymentId, accountId, applicationId: id, status: 'RUNNING' as const, trigger: 'API' as const };
  const buildId = `${local.environment.BUILD_PROJECT_NAME}:gone`;
  const times = { startedAt: new Date().toISOString(), finishedAt: null };
  await deps.table.write(
    Deployment,
    create(Deployment, { ...of, ...times, buildId, commitSha: '', notes: [] }, changed),
  );
  await account.call(deleteApp, { params: { id } });
  const deleted = { ...app, activeDeploymentId: deploymentId };
  await expect(startTeardown({ ...deps, ...machines, buildRunner }, deleted, `${id}-again`)).resolves.toBeUndefined();
});

test('the role that measures quotas may measure all of them, and its schedule does', async () => {
  const quotas = await invokeFunction(local, 'schedule-measureQuotas');
  const ofTheHomeCell = (quotas as { cellId: string }[]).filter(({ cellId }) => cellId === 'home');
  const measured = (quota: string) => ({ quota, used: expect.any(Number), limit: expect.any(Number) });
  expect(ofTheHomeCell).toMatchObject(
    'route53Zones registeredDomains dsqlClusters mailsOfDay certificates distributionTenants lambdaCodeStorage keyValueStoreBytes'
      .split(' ')
      .map(measured),
  );
});

test('the role that measures quotas may delete certificates that nothing uses', async () => {
  const owner = await newAccount({ walletCents: 500_000 });
  const { domain } = await registerDomain(owner);
  const host = `left.${domain.name}`;
  const body = { type: 'CNAME' as const, name: 'left', content: String(local.environment.EDGE_ENDPOINT) };
  expect((await owner.call(addDnsRecord, { params: { id: domain.id }, body })).status).toBe(201);
  await actAs('workflow-reconcileTenant', local);
  const tenants = (await import('../../runtime/bindings/edge-tenants.ts')).edgeTenants();
  await waitFor(async () => (await tenants.create('door-left', host)) === 'MADE');
  const { arn = '' } = (await tenants.certificate('door-left')) ?? {};
  await actAs('schedule-measureQuotas', local);
  const certificates = (await import('../../runtime/bindings/edge-certificates.ts')).edgeCertificates();
  const inAWeek = new Date(Date.now() + 7 * 86_400_000);
  expect(await certificates.listUnused(inAWeek)).toContainEqual({ arn, domain: host });
  expect(await certificates.isAwaited({ arn, domain: host })).toBe(true);
  expect(await certificates.isAwaited({ arn, domain: `gone.${domain.name}` })).toBe(false);
  expect(await certificates.delete(arn)).toBe(true);
  expect(await certificates.listUnused(inAWeek)).not.toContainEqual({ arn, domain: host });
});

test('the release step’s role may take down what it made of an application that was deleted meanwhile', async () => {
  const { accountId, applicationId } = await newApp();
  await actAs('workflow-releaseDeployment', local);
  const [{ releaseDeployment }, home, { appLogs: logsIn }, { builds, bucket }, { deps }] = await Promise.all([
    import('../../domain/deployments/release.ts'),
    import('../../runtime/bindings/app-host.ts'),
    import('../../runtime/bindings/app-logs.ts'),
    import('../../runtime/bindings/builds.ts'),
    import('../../runtime/deps.ts'),
  ]);
  const id = `dep_${randomUUID()}`;
  const times = { startedAt: new Date().toISOString(), finishedAt: null };
  const deployment = { id, accountId, applicationId, status: 'RUNNING' as const, trigger: 'API' as const, ...times };
  await deps.table.write(Deployment, create(Deployment, { ...deployment, commitSha: '', notes: [] }, changed));
  const [appHost, appLogs] = [home.appHost(), logsIn()];
  const deletedMeanwhile: typeof appLogs = {
    ...appLogs,
    async prepare(application) {
      await appLogs.prepare(application);
      const set = { status: 'DELETING' as const };
      await deps.table.write(App, change(App, { accountId, id: application }, { set }, changed));
    },
  };
  const step = () =>
    releaseDeployment(
      {
        ...deps,
        builds,
        bucket,
        ...inEveryCell({ appHost: { ...appHost, release: async () => '1' }, appLogs: deletedMeanwhile }),
      },
      { accountId, applicationId, deploymentId: id },
    );
  // Releases of other tests may have the turns of this second.
  await expect(waitFor(async () => !(await step()).waiting)).rejects.toThrow('The application was deleted.');
});

const functionSettings = {
  FunctionName: 'hosting-local-app-app_1',
  Role: 'arn:aws:iam::000000000000:role/other',
  Code: { ZipFile: new Uint8Array(1) },
  Runtime: 'nodejs24.x' as const,
  Handler: 'run.sh',
};

test('every service refuses a role without the right, and names the right', async () => {
  await actAs('api-getApp', local);
  const { callAws } = await import('../../runtime/aws/client.ts');
  const { putObject, getObject } = await import('../../runtime/aws/objects.ts');
  const { TABLE_NAME = '', DELIVERY_QUEUE_URL, SECRETS_KEY_ARN, BUILDS_BUCKET = '' } = local.environment;
  const { BUILD_PROJECT_NAME, TEARDOWN_STATE_MACHINE_ARN: stateMachineArn } = local.environment;
  const item = { TableName: TABLE_NAME, Key: { pk: { S: 'x' }, sk: { S: 'x' } } };
  const due = { KeyConditionExpression: 'duePk = :p', ExpressionAttributeValues: { ':p': { S: 'x' } } };
  const put = { TableName: TABLE_NAME, Item: item.Key };
  await expect(callAws('dynamodb', 'GetItem', item)).resolves.toEqual({});
  const refused: [right: string, call: () => Promise<unknown>][] = [
    ['dynamodb:PutItem', () => callAws('dynamodb', 'PutItem', put)],
    ['dynamodb:PutItem', () => callAws('dynamodb', 'TransactWriteItems', { TransactItems: [{ Put: put }] })],
    ['dynamodb:Query', () => callAws('dynamodb', 'Query', { TableName: TABLE_NAME, IndexName: 'due', ...due })],
    ['sqs:SendMessage', () => callAws('sqs', 'SendMessage', { QueueUrl: DELIVERY_QUEUE_URL, MessageBody: '{}' })],
    ['kms:GenerateDataKey', () => callAws('kms', 'GenerateDataKey', { KeyId: SECRETS_KEY_ARN, KeySpec: 'AES_256' })],
    ['logs:DeleteLogGroup', () => callAws('logs', 'DeleteLogGroup', { logGroupName: '/aws/lambda/x' })],
    ['route53domains:ListOperations', () => callAws('route53domains', 'ListOperations', {})],
    ['AccessDenied', () => putObject(BUILDS_BUCKET, 'logs/dep_1.txt', '', 'text/plain')],
    ['AccessDenied', () => getObject(BUILDS_BUCKET, 'logs/dep_1.txt')],
    ['states:StartExecution', () => new SFNClient({}).send(new StartExecutionCommand({ stateMachineArn }))],
    [
      'codebuild:StartBuild',
      () => new CodeBuildClient({}).send(new StartBuildCommand({ projectName: BUILD_PROJECT_NAME })),
    ],
    ['lambda:CreateFunction', () => new LambdaClient({}).send(new CreateFunctionCommand(functionSettings))],
    ['route53:ListHostedZonesByName', () => new Route53Client({}).send(new ListHostedZonesByNameCommand({}))],
    ['dsql:GetCluster', () => new DSQLClient({}).send(new GetClusterCommand({ identifier: 'x' }))],
  ];
  for (const [right, call] of refused) {
    const error: unknown = await call().then(
      () => 'accepted',
      (reason) => reason,
    );
    expect(error, right).toMatchObject({ name: expect.stringMatching(/^AccessDenied(Exception)?$/) });
    expect(error instanceof Error && error.message, right).toContain(right);
  }
});

test('a right holds only under its conditions', async () => {
  await actAs('api-createWebhook', local);
  const { callAws } = await import('../../runtime/aws/client.ts');
  const seal = (EncryptionContext: Record<string, string>) =>
    callAws('kms', 'GenerateDataKey', {
      KeyId: local.environment.SECRETS_KEY_ARN,
      KeySpec: 'AES_256',
      EncryptionContext,
    });
  await expect(seal({ webhook: 'whk_1' })).resolves.toHaveProperty('CiphertextBlob');
  for (const context of [{ webhook: 'app_1' }, { application: 'whk_1' }, {}]) {
    await expect(seal(context)).rejects.toMatchObject({ name: 'AccessDeniedException' });
  }
  await actAs('workflow-releaseDeployment', local);
  const other = new LambdaClient({}).send(new CreateFunctionCommand(functionSettings));
  await expect(other, 'the role of other functions').rejects.toThrow('iam:PassRole');
});

test('credentials of a role are worth nothing without their token', async () => {
  await actAs('api-getApp', local);
  delete process.env.AWS_SESSION_TOKEN;
  const { callAws } = await import('../../runtime/aws/client.ts');
  const read = callAws('dynamodb', 'ListTables', {});
  await expect(read).rejects.toMatchObject({ name: 'UnrecognizedClientException' });
});
