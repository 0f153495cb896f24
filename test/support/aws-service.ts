import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, vi } from 'vitest';

/**
 * Has the client of an AWS service call a server that gives these answers, for the tests of a file.
 * @param service that of its `AWS_ENDPOINT_URL_<SERVICE>`
 */
export function standInFor(
  service: string,
  answer: (method: string, response: ServerResponse, body: string) => void,
): void {
  let server: Server;
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      answer(request.method ?? '', response, await text(request));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, `http://127.0.0.1:${port}`);
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    server.closeAllConnections();
    server.close();
  });
}
