import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { assumeRole } from './assume-role.ts';

/** STS, which gives the answers in their order: a status, and the code of an error. */
let server: Server;
let answers: [status: number, code?: string][] = [];
let requests = 0;
beforeEach(() => {
  requests = 0;
});
beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    requests += 1;
    const [status, code] = answers.shift() ?? [200];
    const body = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'].map((each) => `<${each}>its-${each}</${each}>`);
    response.writeHead(status).end(code ? `<Error><Code>${code}</Code></Error>` : body.join(''));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  vi.stubEnv('AWS_ENDPOINT_URL_STS', `http://127.0.0.1:${port}`);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});
const assume = () => assumeRole({ roleArn: 'arn:aws:iam::222222222222:role/b-test', name: 'test', seconds: 60 });

test('a refusal is not repeated, and is the error that STS names', async () => {
  answers = [[403, 'AccessDenied']];
  await expect(assume()).rejects.toMatchObject({ name: 'AccessDenied', status: 403 });
  expect(requests).toBe(1);
});

test('what STS could not answer is asked again', async () => {
  answers = [[503], [400, 'Throttling']];
  expect(await assume()).toEqual({
    ...{ accessKeyId: 'its-AccessKeyId', secretAccessKey: 'its-SecretAccessKey', sessionToken: 'its-SessionToken' },
  });
  expect(requests).toBe(3);
});
