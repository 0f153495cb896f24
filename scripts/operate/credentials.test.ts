import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { Refusal, type Scenario, startAwsAccount } from '../../test/support/aws-account.ts';
import { temporaryFolder } from '../../test/template/synthesized.ts';

const SCRIPT = resolve(import.meta.dirname, '../operate.ts');
const run = promisify(execFile);
const settings = {
  Environment: { Variables: { STAGE: 'prod', TABLE_NAME: 'hosting-prod', APPS_DOMAIN: 'apps.example' } },
};
const AT = '2026-11-23T10:00:00.000Z';
const [EARLIEST, LATEST] = [Date.parse('2026-11-01'), Date.parse('2026-11-24')].map((ms) => ms / 1000);

/** Starts an account, and returns the command for it as the only profile of a machine allows it. */
async function startAccount(scenario: Scenario, profile: string) {
  const account = await startAwsAccount({ 'lambda GET */configuration': settings, ...scenario }, {});
  onTestFinished(() => account.stop());
  const config = join(temporaryFolder(), 'config');
  writeFileSync(config, `[profile operators]\n${profile}\n`);
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    AWS_ENDPOINT_URL: account.url,
    AWS_PROFILE: 'operators',
    AWS_CONFIG_FILE: config,
    AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const operate = async (...args: string[]) => {
    const line = [SCRIPT, ...args, '--stage', 'prod', '--region', 'af-south-1'];
    const said = await run(process.execPath, line, { env, timeout: 110_000 });
    return { ...said, report: JSON.parse(said.stdout) };
  };
  return { ...account, operate };
}

test('a command signs with the profile of its caller', async () => {
  const { operate, calls } = await startAccount(
    { 'dynamodb GetItem': {} },
    'aws_access_key_id = AKIAPROFILE\naws_secret_access_key = secret',
  );
  expect((await operate('flag', 'list')).report.length).toBeGreaterThan(0);
  expect(new Set(calls.map(({ service, key }) => `${service} ${key}`))).toEqual(
    new Set(['lambda AKIAPROFILE', 'dynamodb AKIAPROFILE']),
  );
});

/** Time in milliseconds for which credentials of the profile are valid. */
const LIFETIME_MS = 2000;

/** An access key of the profile says when it was issued. */
const issue = `
  const AccessKeyId = 'AKIA' + Date.now();
  const Expiration = new Date(Date.now() + ${LIFETIME_MS}).toISOString();
  console.log(JSON.stringify({ Version: 1, AccessKeyId, SecretAccessKey: 'secret', SessionToken: 'token', Expiration }));`;

/**
 * DynamoDB with a table to restore, which takes longer than the credentials that began it are valid. It refuses a second time what AWS refuses, and fails
 * once.
 */
function restorable() {
  /** Refuses keys that were no longer valid when the restore ended, such as those that began it. */
  const whileValid =
    (answer: object): Scenario[string] =>
    ({ key }) =>
      Number(key.slice(4)) + LIFETIME_MS >= activeAt ? answer : new Refusal('ExpiredTokenException', 'It is expired');
  let fails = true;
  const arn = (name: string) => `arn:aws:dynamodb:af-south-1:123456789012:table/${name}`;
  let summary: object | undefined;
  let activeAt = 0;
  let stream = false;
  let isProtected = false;
  let timeToLive = false;
  const scenario: Scenario = {
    'dynamodb DescribeContinuousBackups': {
      ContinuousBackupsDescription: {
        PointInTimeRecoveryDescription: { EarliestRestorableDateTime: EARLIEST, LatestRestorableDateTime: LATEST },
      },
    },
    'dynamodb DescribeTable': ({ input: { TableName } }) => {
      const TableStatus = Date.now() < activeAt ? 'CREATING' : 'ACTIVE';
      const Table = { TableName, TableStatus, TableArn: arn(String(TableName)) };
      if (TableName === 'hosting-prod') return { Table: { ...Table, DeletionProtectionEnabled: true } };
      if (!summary) return new Refusal('ResourceNotFoundException', 'Requested resource not found');
      const streamed = { StreamSpecification: { StreamEnabled: true }, LatestStreamArn: `${Table.TableArn}/stream/1` };
      const kept = { RestoreSummary: summary, DeletionProtectionEnabled: isProtected };
      return { Table: { ...Table, ...kept, ...(stream ? streamed : {}) } };
    },
    'dynamodb RestoreTableToPointInTime': ({ input: { RestoreDateTime } }) => {
      if (summary) return new Refusal('TableAlreadyExistsException', 'Table already exists');
      summary = { SourceTableArn: arn('hosting-prod'), RestoreDateTime, RestoreInProgress: false };
      return {};
    },
    'dynamodb UpdateTable': ({ input: { StreamSpecification, DeletionProtectionEnabled } }) => {
      if (StreamSpecification && (stream || DeletionProtectionEnabled))
        return new Refusal('ValidationException', 'Table already has an enabled stream');
      if (StreamSpecification) stream = true;
      else isProtected = true;
      return {};
    },
    'dynamodb DescribeTimeToLive': () => ({
      TimeToLiveDescription: { TimeToLiveStatus: timeToLive ? 'ENABLED' : 'DISABLED' },
    }),
    'dynamodb UpdateTimeToLive': () => {
      if (timeToLive) return new Refusal('ValidationException', 'TimeToLive is already enabled');
      timeToLive = true;
      return {};
    },
    'dynamodb UpdateContinuousBackups': () => {
      if (!fails) return {};
      fails = false;
      activeAt = Date.now() + 3000;
      return new Refusal('AccessDeniedException', 'Not allowed');
    },
    'dynamodb *': whileValid({ Items: [] }),
  };
  return scenario;
}

test('a restore outlives its credentials, and one that failed goes on when it is repeated', async () => {
  const script = join(temporaryFolder(), 'issue.mjs');
  writeFileSync(script, issue);
  const { operate, calls } = await startAccount(restorable(), `credential_process = ${process.execPath} ${script}`);
  const restore = ['restore', '--at', AT, '--reason', 'A drill.'];
  const target = 'hosting-prod-20261123100000';
  await expect(operate(...restore)).rejects.toThrow('Not allowed');
  const { report, stderr } = await operate(...restore);
  expect(report).toMatchObject({ table: target, tableStream: expect.stringContaining(`/${target}/stream/1`) });
  expect(stderr).toContain(report.tableStream);
  const made = (operation: string) => calls.filter((call) => call.operation === operation);
  expect(made('RestoreTableToPointInTime')).toHaveLength(1);
  expect(made('UpdateTable'), 'the stream and the protection, each once').toHaveLength(2);
  expect(made('Scan').length + made('Query').length).toBeGreaterThan(0);
  expect(calls.filter(({ service }) => service === 'unsigned')).toEqual([]);
  await expect(
    operate('restore', '--at', '2026-11-22T10:00:00Z', '--as', target, '--reason', 'Other.'),
  ).rejects.toThrow('is no restore of hosting-prod to this time');
}, 120_000);
