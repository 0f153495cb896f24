import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppProcess } from './app-process.ts';
import { forwardTo } from './forward.ts';

/** An application that answers with the number of bytes that it was sent. */
const app = createServer((incoming, response) => {
  let bytes = 0;
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  incoming.on('end', () => response.end(String(bytes)));
});
const agent = new Agent();
const front = createServer((incoming, response) => {
  const { port } = app.address() as AddressInfo;
  const running = { port, agent, ended: new Promise(() => undefined) } as unknown as AppProcess;
  void forwardTo({ app: running, host: 'app.example', timeoutMs: 60_000 }, incoming, response);
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
  return [answer.statusCode, await text(answer)];
}

const MIB = 1024 * 1024;
const CRLF = Buffer.from('\r\n');
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

test.each([false, true])(
  'a client that reads nothing before it has sent all of a body that is too large reads the refusal (chunked: %s)',
  async (isChunked) => {
    const { port } = front.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    const write = (data: string | Buffer) =>
      new Promise<void>((resolve, reject) => socket.write(data, (error) => (error ? reject(error) : resolve())));
    const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${40 * MIB}`;
    const head = ['POST / HTTP/1.1', 'host: app.example', 'content-type: application/json', 'connection: close'];
    await write(`${[...head, length].join('\r\n')}\r\n\r\n`);
    const piece = Buffer.alloc(MIB, 'a');
    for (let sent = 0; sent < 40; sent++) {
      await write(isChunked ? Buffer.concat([Buffer.from(`${MIB.toString(16)}\r\n`), piece, CRLF]) : piece);
      // Beyond the time in which the end of the application's process would be known.
      if (sent === 8) await new Promise((resolve) => setTimeout(resolve, 500));
    }
    if (isChunked) await write('0\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 .*Request must be smaller than 6291456 bytes/s);
  },
);
