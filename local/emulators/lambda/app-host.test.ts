import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, get, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateAliasCommand,
  CreateFunctionCommand,
  CreateFunctionUrlConfigCommand,
  DeleteFunctionCommand,
  GetAliasCommand,
  GetFunctionCommand,
  InvokeCommand,
  LambdaClient,
  ListVersionsByFunctionCommand,
  PublishVersionCommand,
  PutFunctionConcurrencyCommand,
  UpdateAliasCommand,
  UpdateFunctionCodeCommand,
} from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ZipFile } from 'yazl';
import { type Children, startChildren } from '../../processes/children.ts';
import { type AppHost, startAppHost } from './app-host.ts';
import { readAppLog } from './app-log.ts';
import { readAppRequests } from './app-requests.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'app-host-'));
let children: Children;
let host: AppHost;
let client: LambdaClient;
let front: Server;
let frontPort: number;
let route = '';

async function start(): Promise<void> {
  host = await startAppHost({
    dataDir,
    children,
    region: 'af-south-1',
    s3Url: `http://127.0.0.1:${frontPort}`,
    environment: { AWS_ACCESS_KEY_ID: 'local' },
    initMs: 400,
    idle: { servingMs: 60_000, otherMs: 200 },
  });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = new LambdaClient({ region: 'af-south-1', endpoint: host.url, credentials, maxAttempts: 1 });
}

beforeAll(async () => {
  children = startChildren(dataDir);
  // The gateway of the local run, and S3 for the one archive that is downloaded.
  front = createServer((request, response) => {
    if (request.url === '/bucket/a%20b.zip')
      void zip({ 'run.sh': 'exec sleep 1' }).then((bytes) => response.end(bytes));
    else if (request.url?.startsWith('/bucket/')) response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    else void host.forward(route, request, response);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  frontPort = (front.address() as AddressInfo).port;
  await start();
});
afterAll(async () => {
  client.destroy();
  await host.stop();
  front.closeAllConnections();
  await new Promise((resolve) => front.close(resolve));
  await children.stop();
  rmSync(dataDir, { recursive: true });
});

function zip(files: Record<string, string>): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [name, content] of Object.entries(files)) archive.addBuffer(Buffer.from(content), name);
  archive.end();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    archive.outputStream.on('data', (chunk: Buffer) => chunks.push(chunk));
    archive.outputStream.on('end', () => resolve(Buffer.concat(chunks)));
  });
}

const app = (handle: string) =>
  zip({
    'run.sh': 'exec node app.js',
    'app.js': `require('node:http').createServer((request, response) => { ${handle} }).listen(process.env.PORT);`,
  });
const saying = (text: string) => app(`setTimeout(() => response.end('${text}'), Math.random() * 30);`);

/** @param Timeout seconds; a test that does not wait for its end gives a busy machine plenty. */
async function create(FunctionName: string, archive: Buffer, Timeout = 60): Promise<string> {
  await client.send(
    new CreateFunctionCommand({
      FunctionName,
      Runtime: 'nodejs22.x',
      Role: 'arn:aws:iam::000000000000:role/apps',
      Handler: 'run.sh',
      Timeout,
      Environment: { Variables: { AWS_LWA_INVOKE_MODE: 'response_stream', GREETING: 'hello' } },
      Code: { ZipFile: archive },
    }),
  );
  return publish(FunctionName);
}
const publish = async (FunctionName: string): Promise<string> =>
  (await client.send(new PublishVersionCommand({ FunctionName }))).Version ?? '';
const update = async (FunctionName: string, archive: Buffer): Promise<string> => {
  await client.send(new UpdateFunctionCodeCommand({ FunctionName, ZipFile: archive }));
  return publish(FunctionName);
};
const live = async (FunctionName: string, FunctionVersion: string): Promise<void> => {
  await client.send(new CreateAliasCommand({ FunctionName, Name: 'live', FunctionVersion }));
  const of = { FunctionName, Qualifier: 'live', AuthType: 'NONE', InvokeMode: 'RESPONSE_STREAM' } as const;
  const { FunctionUrl = '' } = await client.send(new CreateFunctionUrlConfigCommand(of));
  route = new URL(FunctionUrl).host;
};
const invoke = async (FunctionName: string, Qualifier?: string) => {
  const event = JSON.stringify({ rawPath: '/', rawQueryString: 'a=1', requestContext: { http: { method: 'GET' } } });
  const answer = await client.send(
    new InvokeCommand({ FunctionName, Qualifier, Payload: Buffer.from(event), LogType: 'Tail' }),
  );
  return {
    error: answer.FunctionError,
    payload: Buffer.from(answer.Payload ?? []).toString('utf8'),
    log: Buffer.from(answer.LogResult ?? '', 'base64').toString('utf8'),
  };
};
const page = async (path = '/') => (await fetch(`http://127.0.0.1:${frontPort}${path}`)).text();

test('runs a version on its own Node with its environment and answers Invoke in the streaming format', async () => {
  const handle = `console.log('asked ' + request.url);
    response.setHeader('set-cookie', 'a=1');
    response.end([process.version.split('.')[0], process.env.GREETING, process.env.AWS_ACCESS_KEY_ID, process.env.HOME !== undefined].join());`;
  const version = await create('answers', await app(handle));
  const { payload, log, error } = await invoke('answers', version);
  expect(error).toBeUndefined();
  const [prelude = '', body] = payload.split('\0'.repeat(8));
  expect(JSON.parse(prelude)).toMatchObject({ statusCode: 200, cookies: ['a=1'] });
  expect(body).toBe('v22,hello,local,true');
  expect(log).toContain('asked /?a=1\n');
  expect(log).toMatch(/^START RequestId.*\nasked/);
});

test.each(['port', "port, '0.0.0.0'", "{ port, host: '::' }", 'port, undefined'])(
  'an application that listens everywhere (%s) is reached from this machine alone, through its address here',
  async (listening) => {
    const name = `narrow-${listening.replace(/\W+/g, '-')}`;
    const source = `const port = process.env.PORT;
      const server = require('node:http').createServer((request, response) => response.end(server.address().address));
      server.listen(${listening}, () => console.log('listens'));`;
    await create(name, await zip({ 'run.sh': 'exec node app.js', 'app.js': source }));
    const { payload, log } = await invoke(name);
    expect(payload.split('\0'.repeat(8))[1]).toBe('127.0.0.1');
    expect(log).toContain('listens');
  },
);

test('reports a process that exits, never listens or crashes as a Lambda function error with its output', async () => {
  await create('exits', await zip({ 'run.sh': 'echo "no such module" >&2; exit 3' }));
  const exits = await invoke('exits');
  expect(exits.error).toBe('Unhandled');
  expect(JSON.parse(exits.payload)).toMatchObject({
    errorType: 'Runtime.ExitError',
    errorMessage: /Error: Runtime exited with error: exit status 3$/,
  });
  expect(exits.log).toContain('no such module');
  await create('npm', await zip({ 'run.sh': 'node --version && npm start' }));
  expect((await invoke('npm')).log).toMatch(/v22.*sh: npm: not found: a release has no package manager/s);

  await create('silent', await zip({ 'run.sh': 'echo waiting; exec sleep 60' }), 4);
  const silent = await invoke('silent');
  expect(JSON.parse(silent.payload)).toMatchObject({
    errorType: 'Sandbox.Timedout',
    errorMessage: /Task timed out after 4.00 seconds$/,
  });
  expect(silent.log).toContain('waiting');

  await create('crashes', await app("if (request.url !== '/') process.exit(4); response.end('up');"));
  expect(JSON.parse((await invoke('crashes')).payload)).toMatchObject({ errorMessage: /exit status 4$/ });
});

test('restarts a crashed process and passes on an error page', async () => {
  await live('crashes', '1');
  expect(await page()).toBe('up');
  const crash = await fetch(`http://127.0.0.1:${frontPort}/crash`);
  expect(crash.status).toBe(502);
  expect(await page()).toBe('up');
});

test('renames the challenge of a 401 as a function URL does', async () => {
  await live(
    'asks',
    await create('asks', await app(`response.writeHead(401, { 'www-authenticate': 'Basic' }).end();`)),
  );
  const { status, headers } = await fetch(`http://127.0.0.1:${frontPort}/`);
  expect([status, headers.get('www-authenticate')]).toEqual([401, null]);
  expect(headers.get('x-amzn-remapped-www-authenticate')).toBe('Basic');
});

test('tells an application the host and the address of its visitor, whatever the visitor claims', async () => {
  const names = ['x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-for'];
  const print = `response.end(JSON.stringify(${JSON.stringify(names)}.map((name) => request.headers[name])))`;
  await live('forwarded', await create('forwarded', await app(print)));
  const claims = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'ftp', 'x-forwarded-for': '10.0.0.1' };
  const answer = await fetch(`http://127.0.0.1:${frontPort}/`, { headers: claims });
  expect(await answer.json()).toEqual([
    `127.0.0.1:${frontPort}`,
    'http',
    expect.stringMatching(/^10\.0\.0\.1, .*127\.0\.0\.1$/),
  ]);
});

test('kills an application that exceeds its memory limit with 502 and restarts it for the next request', async () => {
  const hoard = `if (request.url !== '/hoard') return response.end('up');
    const kept = [];
    setInterval(() => kept.push(Buffer.alloc(16 << 20, 1)), 10);`;
  await live('hoards', await create('hoards', await app(hoard)));
  expect(await page()).toBe('up');
  expect((await fetch(`http://127.0.0.1:${frontPort}/hoard`)).status).toBe(502);
  expect(await page()).toBe('up');
  const printed = readAppLog(dataDir, 'hoards').map(({ message }) => message);
  expect(printed).toEqual(['Error: Runtime exited with error: signal: killed']);
});

test('moves the alias only from the revision that the caller read', async () => {
  const version = await create('revised', await saying('one'));
  await live('revised', version);
  const { RevisionId } = await client.send(new GetAliasCommand({ FunctionName: 'revised', Name: 'live' }));
  const second = await update('revised', await saying('two'));
  const move = { FunctionName: 'revised', Name: 'live', FunctionVersion: second, RevisionId };
  await client.send(new UpdateAliasCommand(move));
  await expect(client.send(new UpdateAliasCommand(move))).rejects.toMatchObject({
    name: 'PreconditionFailedException',
  });
  expect(await page()).toBe('two');
  expect(await publish('revised')).toBe(second);
});

test('moves the alias under load without losing a request and ends the old process', async () => {
  const first = await create('loaded', await saying('first'));
  await live('loaded', first);
  await page();
  const second = await update('loaded', await saying('second'));
  const answers: string[] = [];
  const agent = new Agent({ keepAlive: true });
  const ask = () =>
    new Promise<string>((resolve) => {
      get({ port: frontPort, agent }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(text));
      }).on('error', (error) => resolve(String(error)));
    });
  const asked: Promise<unknown>[] = [];
  for (let count = 0; count < 150; count++) {
    asked.push(ask().then((text) => answers.push(text)));
    if (count === 50) {
      const move = new UpdateAliasCommand({ FunctionName: 'loaded', Name: 'live', FunctionVersion: second });
      asked.push(client.send(move));
    }
    await sleep(10);
  }
  await Promise.all(asked);
  agent.destroy();
  expect(answers).toHaveLength(150);
  expect(answers.filter((text) => text !== 'first' && text !== 'second')).toEqual([]);
  expect(answers.at(-1)).toBe('second');
});

test('refuses requests beyond the reserved concurrency with 429, and accepts them again afterwards', async () => {
  const holding = `if (request.url === '/hold') { response.write('held'); return; } response.end('up');`;
  await live('narrow', await create('narrow', await app(holding)));
  await client.send(new PutFunctionConcurrencyCommand({ FunctionName: 'narrow', ReservedConcurrentExecutions: 2 }));
  const hold = async () => {
    const outgoing = request({ port: frontPort, path: '/hold' });
    outgoing.on('error', () => undefined).end();
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { outgoing, status: answer.statusCode };
  };
  const held = [await hold(), await hold()];
  expect(held.map(({ status }) => status)).toEqual([200, 200]);
  const refused = await fetch(`http://127.0.0.1:${frontPort}/`);
  expect([refused.status, refused.headers.get('x-amzn-errortype')]).toEqual([429, 'TooManyRequestsException']);
  for (const { outgoing } of held) outgoing.destroy();
  await vi.waitFor(async () => expect(await page()).toBe('up'), 60_000);
  const recorded = readAppRequests(dataDir, 'narrow', 0, Number.POSITIVE_INFINITY);
  expect(recorded.filter(({ throttled }) => throttled)[0]).toMatchObject({ status: 429, durationMs: 0 });
  expect(
    recorded.find(({ initMs }) => initMs > 0),
    'the first request waited for the start',
  ).toBeDefined();
  expect(Math.max(...recorded.map(({ concurrent }) => concurrent))).toBe(2);
  expect(Math.max(...recorded.map(({ memoryMb }) => memoryMb))).toBeGreaterThan(10);
});

test('streams the request body and the response piece by piece', async () => {
  const version = await create('echo', await app('request.pipe(response);'));
  await live('echo', version);
  const outgoing = request({ port: frontPort, method: 'POST' });
  outgoing.write('a');
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  // Each piece returns before the next one is sent.
  expect(String(await once(answer, 'data'))).toBe('a');
  outgoing.write('b');
  expect(String(await once(answer, 'data'))).toBe('b');
  outgoing.end();
  await once(answer, 'end');
});

test('keeps functions, versions, aliases and addresses over a restart', async () => {
  client.destroy();
  await host.stop();
  await start();
  expect(await page()).toBe('');
  const { Versions } = await client.send(new ListVersionsByFunctionCommand({ FunctionName: 'revised' }));
  expect(Versions?.map(({ Version }) => Version)).toEqual(['$LATEST', '1', '2']);
});

test('loads code from S3 and removes a deleted function', async () => {
  const FunctionName = 'fetched';
  const Code = { S3Bucket: 'bucket', S3Key: 'a b.zip' };
  const settings = { FunctionName, Runtime: 'nodejs20.x', Role: 'r', Handler: 'run.sh' } as const;
  await client.send(new CreateFunctionCommand({ ...settings, Code }));
  const absent = new UpdateFunctionCodeCommand({ FunctionName, S3Bucket: 'bucket', S3Key: 'absent' });
  await expect(client.send(absent)).rejects.toMatchObject({
    name: 'InvalidParameterValueException',
    message: /NoSuchKey/,
  });
  const broken = new UpdateFunctionCodeCommand({ FunctionName, ZipFile: Buffer.from('no archive') });
  await expect(client.send(broken)).rejects.toMatchObject({ name: 'InvalidParameterValueException' });
  await client.send(new DeleteFunctionCommand({ FunctionName }));
  await expect(client.send(new GetFunctionCommand({ FunctionName }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

test('a closed address refuses visitors, and answers with the same release once it is open', async () => {
  const { createAppAccess } = await import('../../../providers/app-host/app-access.ts');
  const access = createAppAccess(client, 'acc');
  await Promise.all([access.close('-none'), access.open('-none')]);
  await live('access', await create('access', await saying('here')));
  expect(await page()).toBe('here');
  await access.close('ess');
  expect(await page()).toBe('Forbidden\n');
  await access.open('ess');
  expect(await page()).toBe('here');
});
