import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { deleteObject, getObject, putObject } from './objects.ts';

/** S3 without any object, which answers a write as one that fails after it began. */
let server: Server;
beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    const [status, code] = request.method === 'PUT' ? [200, 'AccessDenied'] : [404, 'NoSuchKey'];
    response.writeHead(status).end(`<Error><Code>${code}</Code><Message>No.</Message></Error>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${port}`);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

test('an object that is not there is read as none, and deleted without an error', async () => {
  expect(await getObject('builds', 'missing')).toBeUndefined();
  await expect(deleteObject('builds', 'missing')).resolves.toBeUndefined();
});

test('an error in an answer of 200 is a failure', async () => {
  await expect(putObject('builds', 'a', 'text', 'text/plain')).rejects.toMatchObject({ name: 'AccessDenied' });
});
