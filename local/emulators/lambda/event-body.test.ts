import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppProcess } from './app-process.ts';
import { forwardTo } from './forward.ts';

/** An application that answers with the number of bytes that it was sent. */
const app = createServer(async (incoming, response) => {
  let bytes = 0;
  for await (const chunk of incoming) bytes += chunk.length;
  response.end(String(bytes));
});
const agent = new Agent();
const front = createServer((incoming, response) => {
  const { port } = app.address() as AddressInfo;
  const running = { port, agent, ended: new Promise(() => undefined) } as unknown as AppProcess;
  void forwardTo(running, 'app.example', incoming, response, 60_000);
});
beforeAll(async () => {
  for (const server of [app, front]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  agent.destroy();
  for (const server of [app, front]) server.close();
});

/** Sends a body of so many bytes and returns the response's status and text. */
async function send(type: string, bytes: number, isChunked: boolean) {
  const { port } = front.address() as AddressInfo;
  const length = isChunked ? {} : { 'content-length': bytes };
  const outgoing = request({ port, method: 'POST', headers: { 'content-type': type, ...length } });
  outgoing.on('error', () => undefined).end(Buffer.alloc(bytes, 'a'));
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return [answer.statusCode, String(Buffer.concat(chunks))];
}

const MIB = 1024 * 1024;
test.each([false, true])(
  'an application is sent only what fits into an event of Lambda (chunked: %s)',
  async (isChunked) => {
    expect(await send('application/json', 6 * MIB, isChunked)).toEqual([200, String(6 * MIB)]);
    expect(await send('image/png', 4.5 * MIB, isChunked)).toEqual([200, String(4.5 * MIB)]);
    const refused = [413, expect.stringContaining('Request must be smaller than 6291456 bytes')];
    expect(await send('application/json', 6 * MIB + 1, isChunked)).toEqual(refused);
    // Base64 needs a third more.
    expect(await send('image/png', 4.5 * MIB + 1, isChunked)).toEqual(refused);
    expect(await send('multipart/form-data; boundary=x', 5 * MIB, isChunked)).toEqual(refused);
  },
);
