import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { AwsError, callAws } from './client.ts';
import { getJson } from './rest.ts';

let server: Server;
let connections = 0;
/** Error types of the next answers, and the number of all answers. */
let refusals: string[] = [];
let answers = 0;
beforeAll(async () => {
  server = createServer((_request, response) => {
    answers += 1;
    const type = refusals.shift();
    response.writeHead(type === undefined ? 200 : 400).end(JSON.stringify(type === undefined ? {} : { __type: type }));
  })
    .on('connection', () => {
      connections += 1;
    })
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', `http://127.0.0.1:${port}`);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => vi.useRealTimers());
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

test('keeps its connection between calls, and opens a new one after a pause, which may have been a freeze', async () => {
  const call = () => callAws('kms', 'Decrypt', {});
  await call();
  await call();
  expect(connections).toBe(1);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  await call();
  expect(connections).toBe(2);
  await call();
  expect(connections).toBe(2);
});

test.each([
  'ThrottlingException',
  // Two changes of a log group at once.
  'OperationAbortedException',
  'com.amazonaws.sqs#RequestThrottled',
  'RequestTimeout',
])('repeats what was not carried out and may be asked again: %s', async (type) => {
  for (const once of [false, true]) {
    refusals = [type];
    answers = 0;
    expect(await callAws('kms', 'Decrypt', {}, { once })).toEqual({});
    expect(answers).toBe(2);
  }
});

test('retries no other refusal', async () => {
  refusals = ['InvalidCiphertextException'];
  answers = 0;
  await expect(callAws('kms', 'Decrypt', {})).rejects.toThrow(
    expect.objectContaining({ name: 'InvalidCiphertextException' }),
  );
  expect(answers).toBe(1);
});

test.each([
  { answer: 'a lost response', isLost: true },
  { answer: 'InternalServerError', isLost: true },
  { answer: 'ThrottlingException', isLost: false },
])('a refusal after $answer may be caused by the call itself: $isLost', async ({ answer, isLost }) => {
  const types = [answer, 'ConditionalCheckFailedException'];
  const unsteady = createServer((request, response) => {
    const type = types.shift();
    if (type === 'a lost response') request.socket.destroy();
    else response.writeHead(type === 'InternalServerError' ? 500 : 400).end(JSON.stringify({ __type: type }));
  }).listen(0, '127.0.0.1');
  await once(unsteady, 'listening');
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${(unsteady.address() as AddressInfo).port}`);
  const refused = { name: 'ConditionalCheckFailedException', afterLostResponse: isLost };
  await expect(callAws('dynamodb', 'PutItem', {})).rejects.toMatchObject(refused);
  unsteady.closeAllConnections();
  unsteady.close();
});

test.each<[string, (response: ServerResponse) => void]>([
  ['breaks off in its body', (response) => response.write('{', () => response.destroy())],
  ['stops in its body', (response) => response.write('{')],
])('an answer that %s is lost: the call is repeated, but not a change that must not be made twice', async (_, lose) => {
  let asked = 0;
  const unsteady = createServer((_request, response) => {
    asked += 1;
    response.writeHead(200);
    if (asked === 1) lose(response);
    else response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(unsteady, 'listening');
  vi.stubEnv('AWS_ENDPOINT_URL_ACM', `http://127.0.0.1:${(unsteady.address() as AddressInfo).port}`);
  expect(await callAws('acm', 'RequestCertificate', {}, { timeout: 1000 })).toEqual({});
  expect(asked).toBe(2);
  asked = 0;
  await expect(callAws('acm', 'RequestCertificate', {}, { timeout: 1000, once: true })).rejects.toThrow();
  expect(asked).toBe(1);
  unsteady.closeAllConnections();
  unsteady.close();
});

test('the error of an unavailable, slow or busy service names the service', async () => {
  refusals = Array.from({ length: 4 }, () => 'ThrottlingException');
  await expect(callAws('kms', 'Decrypt', {})).rejects.toMatchObject({
    name: 'ThrottlingException',
    message: 'kms Decrypt: ThrottlingException',
  });
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', `http://127.0.0.1:${port}`);
  const call = () => callAws('secretsmanager', 'GetSecretValue', {}, { attempts: 1, timeout: 50 });
  const timedOut = { name: 'TimeoutError', message: `127.0.0.1:${port}: The request timed out` };
  await expect(call()).rejects.toMatchObject(timedOut);
  silent.closeAllConnections();
  silent.close();
  await once(silent, 'close');
  await expect(call()).rejects.toThrow(`127.0.0.1:${port}: connect ECONNREFUSED`);
});

const PAGE = '<html><body>A proxy answered</body></html>';
test.each([
  { status: 403, attempts: 1 },
  { status: 502, attempts: 4 },
  { status: 200, attempts: 4 },
])('an answer that is no document is an error with its status, repeated unless a refusal: $status', async (answer) => {
  let asked = 0;
  const proxy = createServer((_request, response) => {
    asked += 1;
    response.writeHead(answer.status, { 'content-type': 'text/html' }).end(PAGE);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', address);
  vi.stubEnv('AWS_ENDPOINT_URL_SESV2', address);
  const failure = { name: `Http${answer.status}`, status: answer.status };
  const calls = [
    () => callAws('kms', 'Decrypt', {}),
    () => getJson({ service: 'ses', host: 'email' }, '/v2/email/account'),
  ];
  for (const call of calls) {
    asked = 0;
    await expect(call()).rejects.toMatchObject({ ...failure, constructor: AwsError });
    expect(asked).toBe(answer.attempts);
  }
  proxy.closeAllConnections();
  proxy.close();
});
