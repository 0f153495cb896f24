import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteFunctionCommand, LambdaClient } from '@aws-sdk/client-lambda';
import aws4 from 'aws4';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { getMe } from '../../contract/accounts/me.ts';
import { createApp, deleteApp, listApps } from '../../contract/apps/apps.ts';
import { type Client, type ClientOptions, createClient } from '../../contract/client.ts';
import { createDeployment, getDeployment } from '../../contract/deployments/deployments.ts';
import { setSwitch } from '../../contract/operator/switches.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { freePort } from '../../local/processes/ports.ts';
import { get } from '../support/browse.ts';
import { waitFor, withReadableErrors } from '../support/harness.ts';
import { newOperator } from '../support/operator.ts';
import { type Local, startRun } from '../support/platform.ts';
import { receiver } from '../support/receivers.ts';
import { LoginBrowser } from '../support/sign-in.ts';

/** Of the test, or of its repetition. */
let DATA_DIR = '';

const SECOND_MS = 1000;
/** The test polls, for longer on a slow machine. */
const SETTINGS = { RATE_LIMIT_SECRET: '100000', WEBHOOK_RETRY_SCHEDULE: '1,1,2,2,3' };
const Compared = z.object({
  problems: z.array(z.unknown()),
  restored: z.number().optional(),
  released: z.number().optional(),
});
const Restored = z.object({
  table: z.string(),
  logins: Compared.optional(),
  releases: Compared.optional(),
  ledgers: z.object({ accounts: z.number(), problems: z.array(z.unknown()) }),
});

test('a run killed at any moment loses no acknowledged write or event and leaves no deployment stuck, and its table is restored', async () => {
  DATA_DIR = mkdtempSync(join(tmpdir(), 'restart-'));
  const settings = { ...SETTINGS, DATA_DIR, PORT: String(await freePort()) };
  let run = await startRun(settings);
  onTestFinished(async () => {
    await run.stop();
    rmSync(DATA_DIR, { recursive: true, force: true });
  });
  const connect = (caller: Partial<ClientOptions> = { secretKey: run.local.accounts.demo.secretKey }) =>
    withReadableErrors(createClient({ baseUrl: run.local.baseUrl, ...caller }));
  const finished = (id: string) =>
    waitFor(async () => {
      const { data } = (await connect().call(getDeployment, { params: { id } })).body;
      return data.finishedAt !== null && data;
    });
  const newcomer = { email: 'new@example.com', password: 'correct horse battery' };
  const browser = new LoginBrowser(run.local);
  const login = await browser.signIn({ ...newcomer, name: 'New' });
  const accountOf = async (token: string) => {
    return (await connect({ accessToken: () => token }).call(getMe)).body.data.account.id;
  };
  const account = await accountOf(login.access_token);
  const names: string[] = [];
  let keptAt = 0;
  const deployments: string[] = [];
  const body = {
    name: 'Restarted',
    framework: 'EXPRESS' as const,
    repoUrl: 'https://git.localhost/hello-express.git',
    deployNow: false,
  };
  const app = (await connect().call(createApp, { body })).body.data;
  const events = await emitEvents(connect());
  // The run is killed right after the deployment was accepted, then during the build, and ended while the release is checked.
  const moments = [
    ['', 'SIGKILL'],
    ['==> Installing', 'SIGKILL'],
    ['==> Release', 'SIGTERM'],
  ] as const;
  for (const [moment, signal] of moments) {
    const client = connect();
    const name = `Kept ${moment || 'at once'}`;
    const kept = await client.call(createApp, { body: { name } });
    expect(kept.status).toBe(201);
    names.push(name);
    events.acknowledged.push(`app.created ${kept.body.data.id}`);
    const queued = await client.call(createDeployment, { params: { id: app.id } });
    expect(queued.status).toBe(202);
    keptAt = Date.now();
    deployments.push(queued.body.data.id);
    await waitFor(async () => {
      const { body: seen } = await client.call(getDeployment, { params: { id: queued.body.data.id } });
      return seen.data.log.includes(moment);
    }, 100);
    await run.stop(signal);
    run = await startRun(settings);
    const { status } = await finished(queued.body.data.id);
    if (signal === 'SIGTERM') expect(status).toBe('SUCCEEDED');
  }
  await events.allArrived();
  const client = connect();
  const kept = (await client.call(listApps)).body.data.map(({ name }) => name);
  expect(kept).toEqual(expect.arrayContaining(names));
  // Sessions survive, and earlier sign-ups can still sign in.
  const renewed = await browser.token({ grant_type: 'refresh_token', refresh_token: login.refresh_token });
  const tokens = [login.access_token, renewed.body.access_token];
  tokens.push((await new LoginBrowser(run.local).signIn(newcomer)).access_token);
  for (const token of tokens) expect(await accountOf(token)).toBe(account);
  const { demo } = run.local.accounts;
  expect(await accountOf(demo.dashboardToken)).toBe(demo.id);
  const last = await client.call(createDeployment, { params: { id: app.id } });
  expect(last.status).toBe(202);
  expect((await finished(last.body.data.id)).status).toBe('SUCCEEDED');
  expect((await get(run.local.baseUrl, app.primaryDomain)).status).toBe(200);

  // The drill of docs/runbook.md#restore: to the second after the last of these deployments was accepted.
  const at = new Date(Math.ceil(keptAt / SECOND_MS) * SECOND_MS);
  await new Promise((done) => setTimeout(done, Math.max(0, at.getTime() - Date.now())));
  expect((await client.call(createApp, { body: { name: 'Too late' } })).status).toBe(201);
  const restored = operate('restore', '--at', at.toISOString());
  expect(restored).toMatchObject({ table: expect.stringMatching(/^hosting-local-\d{14}$/), ledgers: { problems: [] } });
  expect(restored.ledgers.accounts).toBeGreaterThan(1);
  // Meanwhile a person left, whose user is deleted, and an application was deleted, whose function is.
  await run.stop();
  removeUser(newcomer.email);
  run = await startRun({ ...settings, LOCAL_TABLE: restored.table });
  await lambdaOf(run.local).send(new DeleteFunctionCommand({ FunctionName: functionOf(run.local, app.id) }));
  const after = connect();
  const readOnly = await after.call(createApp, { body: { name: 'Refused' } });
  expect([readOnly.status, readOnly.error?.message]).toEqual([503, expect.stringContaining('restoring data')]);
  const earlier = (await after.call(listApps)).body.data.map(({ name }) => name);
  expect(earlier).toEqual(expect.arrayContaining(names));
  expect(earlier).not.toContain('Too late');
  const repaired = operate('repair');
  expect(repaired).toMatchObject({
    table: restored.table,
    ledgers: { problems: [] },
    logins: { restored: 1, problems: [] },
  });
  const operator = await newOperator(run.local);
  const on = { off: false, reason: 'The ledgers add up.' };
  expect((await operator.call(setSwitch, { params: { name: 'read-only' }, body: on })).status).toBe(200);
  await waitFor(async () => (await after.call(createApp, { body: { name: 'Again' } })).status === 201);
  // What was under way at that time comes to its end, and what serves goes on serving.
  for (const id of deployments) {
    await waitFor(async () => (await after.call(getDeployment, { params: { id } })).body.data.finishedAt ?? false);
  }
  // The last one may have begun before that time, or after it.
  await waitFor(async () => {
    const { status, body } = await after.call(getDeployment, { params: { id: last.body.data.id } });
    return status === 404 || (body.data.finishedAt ?? false);
  });
  // An application with a deployment under way is brought back when that has ended.
  const { releases } = repaired.releases?.released === 1 ? repaired : operate('repair');
  expect(releases).toMatchObject({ released: 1, problems: [] });
  await waitFor(async () => (await get(run.local.baseUrl, app.primaryDomain)).status === 200);
  // The person has another user, whose password they choose by the way for a forgotten one.
  await choosePassword(run.local, newcomer);
  expect(await accountOf((await new LoginBrowser(run.local).signIn(newcomer)).access_token)).toBe(account);
  await run.stop();
}, 600_000);

/** Number of acknowledged events after which a run is killed, and of callers that go on meanwhile. */
const EVENTS = 20;
const CALLERS = 4;

/**
 * Creates and deletes applications until the run is killed. Returns once enough calls were acknowledged, with a function that waits
 * until a webhook has received the events of all of them.
 */
async function emitEvents(client: Client) {
  const witness = await receiver((_, response) => setTimeout(() => response.end(), 100));
  onTestFinished(() => witness.stop());
  const body = { url: witness.url, events: ['app.deleted', 'app.created'] };
  expect((await client.call(createWebhook, { body })).status).toBe(201);
  const acknowledged: string[] = [];
  const emit = async () => {
    for (;;) {
      const made = await client.call(createApp, { body: { name: 'Event', framework: 'NODE' } });
      const { id } = made.body.data;
      acknowledged.push(`app.created ${id}`);
      const gone = await client.call(deleteApp, { params: { id } });
      if (gone.status === 200) acknowledged.push(`app.deleted ${id}`);
    }
  };
  // Each ends with the connection that the kill closes.
  const callers = Promise.allSettled(Array.from({ length: CALLERS }, emit));
  await waitFor(async () => acknowledged.length >= EVENTS, 5);
  return {
    /** The events that must arrive, to which others may be added. */
    acknowledged,
    async allArrived() {
      await callers;
      const arrived = () =>
        new Set(
          witness.received.map(
            ({ headers, body }) => `${headers['x-service-event']} ${JSON.parse(body).data.applicationId}`,
          ),
        );
      await waitFor(async () => acknowledged.every((each) => arrived().has(each)));
    },
  };
}

const lambdaOf = ({ environment }: Local) =>
  new LambdaClient({
    region: environment.AWS_REGION ?? '',
    endpoint: environment.AWS_ENDPOINT_URL_LAMBDA ?? '',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
const functionOf = ({ environment }: Local, applicationId: string) =>
  `${environment.APP_FUNCTION_PREFIX}${applicationId}`;

/** Deletes a user of a run that is stopped. */
function removeUser(email: string): void {
  const file = join(DATA_DIR, 'login', 'users.json');
  const users = z.array(z.looseObject({ email: z.string() })).parse(JSON.parse(readFileSync(file, 'utf8')));
  writeFileSync(file, JSON.stringify(users.filter((user) => user.email !== email)));
}

/** Sets a user's password, as Cognito does when the person has entered the code of its email. */
async function choosePassword({ environment }: Local, person: { email: string; password: string }): Promise<void> {
  const url = new URL(environment.AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER ?? '');
  const body = JSON.stringify({
    UserPoolId: 'local',
    Username: person.email,
    Password: person.password,
    Permanent: true,
  });
  const headers = {
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': 'AWSCognitoIdentityProviderService.AdminSetUserPassword',
  };
  const request = {
    host: url.host,
    method: 'POST',
    path: '/',
    service: 'cognito-idp',
    region: 'af-south-1',
    headers,
    body,
  };
  const signed = aws4.sign(request, { accessKeyId: 'local', secretAccessKey: 'local' });
  const answer = await fetch(url, { method: 'POST', headers: signed.headers as Record<string, string>, body });
  expect(answer.status).toBe(200);
}

/** Runs a command of operators on a local run, and returns what it prints. */
function operate(...command: string[]) {
  const said = execFileSync(process.execPath, ['scripts/operate.ts', ...command, '--reason', 'A drill.', '--local'], {
    encoding: 'utf8',
    env: { ...process.env, LOCAL_JSON: join(DATA_DIR, 'local.json') },
  });
  return Restored.parse(JSON.parse(said));
}
