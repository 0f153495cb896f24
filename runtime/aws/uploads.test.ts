import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { UploadGone } from '../../providers/exports/exports.ts';
import { uploads } from './uploads.ts';

/** S3 after it has deleted an upload with its parts: only objects that were made are there. */
let server: Server;
const object = { isThere: false };
beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    if (request.method === 'GET' && object.isThere) return response.end('archive');
    const code = request.method === 'GET' ? 'NoSuchKey' : 'NoSuchUpload';
    return response.writeHead(404).end(`<Error><Code>${code}</Code><Message>Gone.</Message></Error>`);
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

test('an upload that is gone says so, unless it has made its object', async () => {
  const part = { uploadId: 'upload-1', number: 1, body: Buffer.from('a') };
  const end = () => uploads.end('builds', 'archive.zip', { uploadId: 'upload-1', tags: ['"tag"'] });
  await expect(uploads.addPart('builds', 'archive.zip', part)).rejects.toThrow(UploadGone);
  await expect(end()).rejects.toThrow(UploadGone);
  object.isThere = true;
  await end();
});
