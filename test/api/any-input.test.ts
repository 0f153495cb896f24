import { connect } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Route } from '../../contract/route.ts';
import { routes } from '../../contract/routes.ts';
import { local, newAccount } from '../support/harness.ts';

/** Sends raw bytes and reads the whole response. */
const exchange = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(local.baseUrl);
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    let said = '';
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      said += text;
    });
    socket.on('end', () => resolve(said));
    socket.on('error', reject);
  });

/** Parses the status and the body of a response with `Connection: close`. */
function parse(answer: string): { status: number; body: unknown } {
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
  const text = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  return { status, body: text ? JSON.parse(text) : undefined };
}

const REFUSAL = { error: { message: expect.any(String), code: expect.any(String), status: expect.any(Number) } };
const byte = fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code));
const text = fc.string({ unit: byte, maxLength: 30 });
const token = fc.string({ unit: fc.constantFrom(...'abcxyzAZ09-_.!'), minLength: 1, maxLength: 12 });
const json = fc.json({ maxDepth: 3 });
/** A parameter of a route's path. */
const PARAMETER = /\{\w+\+?\}/g;
const segment = fc.oneof(
  text.map(encodeURIComponent),
  fc.constantFrom('..', '%2f', '%00', '%', '%zz', 'app_1', "'", '{id}'),
);

test('responds to any request at any path, and never with a 5xx', async () => {
  const account = await newAccount({ appLimit: 100_000 });
  const known = (routes as readonly Route[]).map(({ path }) => path);
  const path = fc.oneof(
    fc.tuple(fc.constantFrom(...known), segment).map(([known, id]) => known.replace(PARAMETER, id)),
    fc.array(segment, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`),
  );
  const query = fc.array(fc.tuple(fc.constantFrom('limit', 'offset', 'x'), segment), { maxLength: 3 });
  const request = fc.record({
    method: fc.oneof(fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEADER', 'TRACE'), token),
    path,
    query: query.map((pairs) => pairs.map((pair) => pair.join('=')).join('&')),
    headers: fc.array(
      fc.tuple(
        token.map((name) => `x-${name}`),
        fc.string({ unit: fc.constantFrom(...'ab é"\\{}'), maxLength: 20 }),
      ),
      { maxLength: 3 },
    ),
    body: fc.oneof(json, text, fc.constant('')),
  });
  let count = 0;
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query, headers, body }) => {
      // A key has 120 requests a minute; responses beyond that are 429 and say less.
      if (count++ % 100 === 0) Object.assign(account, await newAccount({ appLimit: 100_000 }));
      const target = `${path}${query ? `?${query}` : ''}`.replaceAll(' ', '%20');
      const lines = headers.map(([name, value]) => `${name}: ${value.trim()}\r\n`).join('');
      const bytes =
        `${method} ${target} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${account.secretKey}\r\n` +
        `connection: close\r\ncontent-length: ${body.length}\r\n${lines}\r\n${body}`;
      const answer = await exchange(bytes);
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
      expect(status).toBeGreaterThanOrEqual(200);
      expect(status).toBeLessThan(500);
      if (status >= 400) expect(parse(answer).body).toEqual(REFUSAL);
    }),
    { numRuns: 400 },
  );
});

test('responds to any long id in a path, and never with a 5xx', async () => {
  const { secretKey } = await newAccount();
  const paths = (routes as readonly Route[])
    .filter(({ params }) => params)
    .map(({ method, path }) => ({ method, path }));
  // Base64 that is text, and base64 of bytes that become three each.
  for (const id of ['YWFh', 'qqqq'])
    for (const { method, path } of paths) {
      const target = path.replace(PARAMETER, id.repeat(250));
      const authorization = path.startsWith('/hooks/') ? '' : `authorization: Bearer ${secretKey}\r\n`;
      const answer = await exchange(
        `${method} ${target} HTTP/1.1\r\nhost: localhost\r\n${authorization}connection: close\r\ncontent-length: 0\r\n\r\n`,
      );
      expect(parse(answer), `${method} ${path}`).toMatchObject({ status: expect.toSatisfy((status) => status < 500) });
    }
});

test.each([
  ['no HTTP at all', 'hello\r\n\r\n'],
  ['another version', 'GET / HTTP/3.0\r\n\r\n'],
  ['a header without a colon', 'GET / HTTP/1.1\r\nhost localhost\r\n\r\n'],
  ['two lengths', 'POST /v1/apps HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
  ['headers of 100 kB', `GET / HTTP/1.1\r\nhost: x\r\nx-large: ${'a'.repeat(100_000)}\r\n\r\n`],
])('rejects %s in the standard shape', async (_what, bytes) => {
  const { status, body } = parse(await exchange(bytes));
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  expect(body).toEqual(REFUSAL);
});
