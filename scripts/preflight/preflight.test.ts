import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { Refusal, type Scenario, startAwsAccount } from '../../test/support/aws-account.ts';
import { ACCOUNT, allWrong, DELEGATED, inOrder, SETTINGS } from '../../test/support/aws-scenarios.ts';
import type { Row } from './check.ts';
import { checkMail } from './mail.ts';
import { makePlan, type Plan } from './plan.ts';
import { runPreflight } from './run.ts';
import { readInvocation } from './settings.ts';
import { unknownProperties } from './templates.ts';

const SCRIPT = resolve(import.meta.dirname, '../preflight.ts');
const run = promisify(execFile);

/** Credentials and endpoint of an account, as the AWS SDKs read them. */
const environment = (url: string) => ({
  AWS_ENDPOINT_URL: url,
  AWS_REGION: 'us-east-1',
  HOME: '/nonexistent',
  AWS_ACCESS_KEY_ID: 'AKIATEST',
  AWS_SECRET_ACCESS_KEY: 'secret',
});

/** Options of an installation that builds in its own region. */
const BUILDS_AT_HOME = ['--build-region', 'af-south-1'];

/** Runs the command against an account, as an operator does. */
async function preflight(scenario: Scenario, delegations: Record<string, string[]>, args: string[]) {
  const account = await startAwsAccount(scenario, delegations);
  const env = { PATH: process.env.PATH, ...environment(account.url) };
  try {
    const line = [SCRIPT, ...SETTINGS, '--dns-servers', account.dnsServer, ...args];
    const { code, stdout } = await run(process.execPath, line, { env, timeout: 120_000 })
      .then(({ stdout: text }) => ({ code: 0, stdout: text }))
      .catch((error: { code: number; stdout: string; stderr: string }) => {
        if (error.stderr) console.error(error.stderr);
        return error;
      });
    return { code, stdout, ...account };
  } finally {
    await account.stop();
  }
}

const plans = new Map<string, Plan>();
/** Plans once for the same settings: each plan is a synthesis of all stacks. */
const planOnce: typeof makePlan = (settings, account) => {
  const key = JSON.stringify([settings, account]);
  const plan = plans.get(key) ?? makePlan(settings, account);
  plans.set(key, plan);
  return plan;
};

/** Runs the checks of the command in this process, which has loaded the CDK already. */
async function checked(scenario: Scenario, delegations: Record<string, string[]>, args: string[]) {
  const account = await startAwsAccount(scenario, delegations);
  for (const [name, value] of Object.entries(environment(account.url))) vi.stubEnv(name, value);
  try {
    const settings = readInvocation([...SETTINGS, ...args]);
    const invocation = { ...settings, dnsServers: [account.dnsServer], firstPauseMs: 5 };
    const rows = await runPreflight(invocation, undefined, planOnce);
    return { rows, ...account };
  } finally {
    vi.unstubAllEnvs();
    await account.stop();
  }
}

test('says what is wrong with the settings, and nothing of the program', async () => {
  const env = { PATH: process.env.PATH, ...environment('http://localhost:9') };
  await expect(run(process.execPath, [SCRIPT, '-c', 'stage=prod'], { env })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Invalid settings:\ndomain: is required.*\nhostedZoneId: .*\nappsDomain: .*\n$/),
  });
});

test('an account in order passes every check, and nothing is left in it', async () => {
  const { code, stdout, alive, calls } = await preflight(inOrder(), DELEGATED, ['--json']);
  const rows: Row[] = JSON.parse(stdout);
  expect(rows.filter(({ ok }) => !ok)).toEqual([]);
  expect(code).toBe(0);
  expect(rows.length).toBeGreaterThan(20);
  expect(calls.every(({ service }) => service !== 'unsigned')).toBe(true);
  // A type without lookups leaves its names unknown, and is no fault of the account.
  expect(rows.at(-1)?.found).toMatch(/^none of \d{3} names is taken; not known: AWS::CloudWatch::Alarm \(Unsupported/);
  // Both throwaways were made, and are gone.
  expect(calls.map(({ operation }) => operation)).toEqual(
    expect.arrayContaining(['CreateRole', 'POST /2015-03-31/functions', 'CreateProject', 'StartBuild']),
  );
  expect([...alive]).toEqual([]);
}, 150_000);

/** Subject of each row → the value that it shows, and the first thing that mends it. */
const EXPECTED: [what: RegExp, found: RegExp, remedy: RegExp][] = [
  [/^Region eu-west-1/, /DISABLED/, /aws account enable-region --region us-east-1 --region-name eu-west-1/],
  [/^CDK bootstrap in af-south-1/, /version 5/, new RegExp(`npx cdk bootstrap aws://${ACCOUNT}/af-south-1`)],
  [/^CDK bootstrap in us-east-1/, /ParameterNotFound/, new RegExp(`npx cdk bootstrap aws://${ACCOUNT}/us-east-1`)],
  [/^Deployment role of CDK in af-south-1/, /AccessDenied/, /Allow the caller sts:AssumeRole/],
  [/^Hosted zone ZPLATFORM/, /zone of other\.example/, /list-hosted-zones-by-name --dns-name hosting\.example/],
  [/^Hosted zone ZAPPS/, /delegated to no name server/, /Set the name servers .* ns-1\.awsdns-01\.com/],
  [/^Host prefix of the sign-in pages/, /user pool shop/, /-c loginPrefix=/],
  [/^Mail/, /in the sandbox, 200 mails a day/, /aws sesv2 put-account-details .*--region af-south-1/],
  [/^Sender of mails, hosting\.example/, /not verified yet/, /aws sesv2 create-email-identity .*--region af-south-1/],
  [/^Lambda Web Adapter/, /ResourceNotFoundException/, /-c adapterLayerVersion=/],
  [/^Streamed responses of Lambda/, /not streamed: it came in one part/, /-c region=/],
  [/^Function URLs for everybody/, /PublicPolicyException/, /access-control-block-public-access/],
  [/^Calls of functions are told apart/, /KMS: AccessDeniedException, DSQL: permitted/, /Do not deploy/],
  [/^Builds on ARM/, /FAILED ARM_CONTAINER is not available/, /-c buildRegion=/],
  [
    /^Resource types of CloudFormation in af-south-1/,
    /AWS::CloudFront::ConnectionGroup, AWS::Cognito::UserPoolClient \(.*RefreshTokenRotation/,
    /-c region=/,
  ],
  [
    /^Concurrent executions \(lambda/,
    /^10$/,
    /aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000 --region af-south-1/,
  ],
  [/^Concurrently running builds for ARM/, /^1$/, /--service-code codebuild --quota-code L-0 --desired-value 5/],
  [/^Maximum single-Region clusters/, /not checked/, /Enable eu-west-1 first/],
  [
    /^Domain count limit/,
    /^10$/,
    /--service-code route53 --quota-code L-F767CB15 --desired-value 20 --region us-east-1/,
  ],
  [
    /^Metric extraction policies of CloudWatch Logs in af-south-1/,
    /all-logs is for all log groups/,
    /aws logs delete-account-policy .*--policy-name all-logs --region af-south-1/,
  ],
  [
    /^Stacks of the stage/,
    /hosting-prod-table: ROLLBACK_COMPLETE/,
    /--no-enable-termination-protection .*hosting-prod-table/,
  ],
  [
    /^Names of the resources/,
    /AWS::KMS::Alias alias\/hosting-prod-secrets(?=.*AWS::S3::Bucket hosting-prod-builds-123456789012)(?=.*AWS::CloudFront::Function hosting-prod-route-app-af-south-1)(?=.*AWS::Route53::RecordSet \*\.hosted-apps\.example\. A)/,
    /npx cdk import/,
  ],
];

test('in an account with nothing in order, each row says what is wrong and how to mend it', async () => {
  // Builds are in a region whose checks are not skipped, as those of the disabled one are.
  const { rows, alive } = await checked(allWrong(), { 'other.example': DELEGATED['hosting.example'] }, BUILDS_AT_HOME);
  for (const [what, found, remedy] of EXPECTED) {
    const row = rows.find((each) => what.test(each.what));
    expect(row, String(what)).toMatchObject({ ok: false, found: expect.stringMatching(found) });
    expect(row?.remedy[0], String(what)).toMatch(remedy);
  }
  // Every row that fails says what mends it.
  for (const { ok, remedy, what } of rows) if (!ok) expect(remedy.length, what).toBeGreaterThan(0);
  expect([...alive]).toEqual([]);
}, 120_000);

const CELL_ACCOUNT = '222222222222';
const CELL = {
  id: 'b',
  account: CELL_ACCOUNT,
  region: 'eu-west-1',
  appsDomain: 'hosted-b.example',
  hostedZoneId: 'ZB',
};

/** Runs the checks of an installation with a cell, with the credentials of an account. */
async function preflightWithCell(caller: string, scenario: Scenario) {
  const identity = { Account: caller, Arn: `arn:aws:iam::${caller}:user/ops`, UserId: 'AIDA' };
  const delegations = { ...DELEGATED, 'hosted-b.example': DELEGATED['hosting.example'] };
  const cells = ['--account', ACCOUNT, '-c', `cells=${JSON.stringify([CELL])}`];
  return await checked({ ...inOrder(), 'sts GetCallerIdentity': identity, ...scenario }, delegations, [
    ...cells,
    ...BUILDS_AT_HOME,
  ]);
}

test('in the platform’s account, what a deployed cell has in its own account is not taken for left over', async () => {
  const { rows, calls } = await preflightWithCell(ACCOUNT, {
    'cloudformation DescribeStacks': ({ input: { StackName } }) => ({
      Stacks: { member: [{ StackName, StackStatus: 'UPDATE_COMPLETE' }] },
    }),
    // Names of buckets are unique over all accounts.
    's3 HEAD *': new Refusal('Forbidden', '', 403),
    'route53 GET /2013-04-01/hostedzone/ZB*': new Refusal('AccessDenied', 'not authorized', 403),
  });
  expect(rows.filter(({ ok }) => !ok)).toEqual([]);
  expect(calls.filter(({ input }) => JSON.stringify(input).includes('-cell-b-'))).toEqual([]);
}, 120_000);

test('with credentials of a cell’s account, its part is checked, and that the platform’s region is enabled there', async () => {
  const { rows, calls } = await preflightWithCell(CELL_ACCOUNT, {
    'route53 GET /2013-04-01/hostedzone/ZB': inOrder()['route53 GET /2013-04-01/hostedzone/ZPLATFORM'] ?? {},
    'account POST /getRegionOptStatus': ({ input: { RegionName } }) => ({
      RegionOptStatus: RegionName === 'af-south-1' ? 'DISABLED' : 'ENABLED',
    }),
    'ssm GetParameter': ({ region }) =>
      region === 'us-east-1' ? new Refusal('ParameterNotFound', '') : { Parameter: { Value: '28' } },
  });
  expect(rows.filter(({ ok }) => !ok).map(({ what, remedy }) => [what, remedy[0]])).toEqual([
    ['Region af-south-1', 'aws account enable-region --region us-east-1 --region-name af-south-1'],
    ['CDK bootstrap in us-east-1', `npx cdk bootstrap aws://${CELL_ACCOUNT}/us-east-1`],
    ['Hosted zone ZB', 'aws route53 list-hosted-zones-by-name --dns-name hosted-b.example'],
  ]);
  const stacks = calls.filter(({ operation }) => operation === 'DescribeStacks').map(({ input }) => input.StackName);
  expect(stacks).toContain('hosting-prod-cell-b-apps');
  expect(stacks.every((name) => String(name).startsWith('hosting-prod-cell-b-'))).toBe(true);
  expect(calls.map(({ operation }) => operation)).not.toContain('CreateRole');
}, 120_000);

test('in a cell’s account, no remedy changes the platform', async () => {
  const { rows } = await preflightWithCell(CELL_ACCOUNT, {
    'servicequotas GetServiceQuota': { Quota: { QuotaName: 'q', QuotaCode: 'L-B99A9384', Value: 10 } },
    'cloudformation DescribeType': new Refusal('TypeNotFoundException', ''),
    's3 HEAD *': {},
  });
  const failed = rows.filter(({ ok }) => !ok);
  for (const what of [/^Concurrent executions/, /^Names of the resources/, /^Resource types/])
    expect(
      failed.some((row) => what.test(row.what)),
      String(what),
    ).toBe(true);
  const settings = failed.flatMap(({ remedy }) => remedy.flatMap((each) => each.match(/-c \w+=/g) ?? []));
  expect(new Set(settings)).toEqual(new Set(['-c cells=']));
}, 120_000);

test('an organization that refuses function URLs for everybody is found, and hides nothing else of the function', async () => {
  const denied = new Refusal('AccessDeniedException', 'with an explicit deny in a service control policy', 403);
  const scenario = { ...inOrder(), 'lambda POST /2015-03-31/functions/*/policy': denied };
  const { rows, alive } = await checked(scenario, DELEGATED, BUILDS_AT_HOME);
  expect(rows.filter(({ ok }) => !ok)).toEqual([
    expect.objectContaining({
      what: 'Function URLs for everybody in af-south-1',
      found: expect.stringMatching(/^AccessDeniedException: .*service control policy/),
      remedy: [expect.stringMatching(/lambda:AddPermission.*organization/)],
    }),
  ]);
  expect([...alive]).toEqual([]);
}, 150_000);

test('the concurrency of an account has room for an application beside the 100 that AWS keeps', async () => {
  const granted = { Quota: { QuotaName: 'q', QuotaCode: 'L-B99A9384', Value: 110 } };
  const { rows } = await checked({ ...inOrder(), 'servicequotas GetServiceQuota': granted }, DELEGATED, [
    '--lambda-concurrency',
    '100',
  ]);
  const row = rows.find(({ what }) => what.startsWith('Concurrent executions (lambda'));
  expect(row).toMatchObject({ ok: false, needed: expect.stringMatching(/\b120\b/), found: '110' });
}, 150_000);

test('nothing is asked of SES where Cognito sends the mails, as the remedy of an unverified sender proposes', () => {
  const plan = (...more: string[]) => planOnce(readInvocation([...SETTINGS, ...more]).settings, ACCOUNT);
  expect(checkMail(plan(...BUILDS_AT_HOME)).map(({ what }) => what)).toEqual([
    'Mail (SES, af-south-1)',
    'Sender of mails, hosting.example (SES, af-south-1)',
  ]);
  expect(checkMail(plan('--mail-from', 'cognito'))).toEqual([]);
}, 120_000);

test('with credentials that cannot deploy, nothing else is called', async () => {
  const root = { Account: ACCOUNT, Arn: `arn:aws:iam::${ACCOUNT}:root`, UserId: ACCOUNT };
  const { code, stdout, calls } = await preflight({ ...inOrder(), 'sts GetCallerIdentity': root }, DELEGATED, []);
  expect(code).toBe(1);
  expect(stdout).toMatch(/MEND\s+Credentials(?:.*\n)+.*aws sso login/);
  expect(calls.map(({ operation }) => operation)).toEqual(['GetCallerIdentity']);
});

test('takes the settings of cdk, as options or as context, and refuses others', () => {
  const { settings } = readInvocation(['--stage', 'prod', '-c', 'hostedZoneId=Z1', '--database-region', 'us-east-1']);
  expect(settings).toMatchObject({
    stage: 'prod',
    hostedZoneId: 'Z1',
    databaseRegion: 'us-east-1',
    region: 'af-south-1',
  });
  expect(() => readInvocation(['-c', 'stag=prod'])).toThrow(/^-c stag=prod: there is no setting stag [^\n]*$/);
  expect(() => readInvocation(['--stag', 'prod'])).toThrow(/^Unknown option '--stag'[^\n]*$/);
});

test('finds the properties that a schema lacks, and none in parts that are free in form', () => {
  const schema = {
    definitions: {
      Config: { properties: { Enabled: {}, Origins: { items: { $ref: '#/definitions/Origin' } } } },
      Origin: { properties: { Id: {} } },
    },
    properties: { Config: { $ref: '#/definitions/Config' }, Tags: { type: 'object' }, Policy: {} },
    primaryIdentifier: [],
    readOnlyProperties: [],
    handlers: {},
  };
  const value = {
    Config: { Enabled: true, Mode: 'x', Origins: [{ Id: '1', Age: 2 }] },
    Tags: { any: 1 },
    Policy: { A: {} },
    Name: 'n',
  };
  expect(unknownProperties(schema, value)).toEqual(['Config.Mode', 'Config.Origins.Age', 'Name']);
});
