import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { parseLine, parseRequestLine } from '../../providers/app-host/requests.ts';
import { logRequests, MAX_LINES_PER_MINUTE } from './request-log.ts';
import { markOutput } from './request-output.ts';

async function listening(handler: Parameters<typeof createServer>[1]) {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => new Promise((done) => server.close(done)) };
}

/** Reads lines until there are as many; a line is printed after its response has arrived. */
async function linesOf(lines: readonly string[], count: number) {
  while (lines.length < count) await new Promise((done) => setTimeout(done, 5));
  return lines.map((line) => parseRequestLine(line.trimEnd()));
}

test('each request to the application’s port is one line, without its query and without release checks', async () => {
  const app = await listening((request, response) => {
    response.statusCode = request.url === '/broken' ? 500 : 200;
    response.end('x'.repeat(1000));
  });
  const other = await listening((_, response) => response.end());
  const lines: string[] = [];
  const end = logRequests((text) => void lines.push(text), app.port);
  const base = `http://127.0.0.1:${app.port}`;
  await (await fetch(`${base}/shop?token=secret`)).text();
  await (await fetch(`${base}/broken`, { method: 'POST' })).text();
  await (await fetch(`${base}/`, { headers: { 'user-agent': 'Service-ReleaseCheck/1.0' } })).text();
  await (await fetch(`http://127.0.0.1:${other.port}/own`)).text();
  await (await fetch(`${base}/last`)).text();
  const [shop, broken, last] = await linesOf(lines, 3);
  expect(shop).toMatchObject({ method: 'GET', path: '/shop', status: 200 });
  expect(shop?.bytes).toBeGreaterThan(1000);
  expect(broken).toMatchObject({ method: 'POST', path: '/broken', status: 500 });
  expect(last).toMatchObject({ path: '/last' });
  expect(lines.join('')).not.toContain('secret');
  expect(new Set([shop, broken, last].map((line) => line?.id)).size).toBe(3);
  end();
  await Promise.all([app.close(), other.close()]);
});

test('output of a handler carries the id of its request, even if requests overlap', async () => {
  const [printed, lines]: [string[], string[]] = [[], []];
  const output = { write: ((text: string) => printed.push(text) > 0) as NodeJS.WriteStream['write'] };
  markOutput([output]);
  const app = await listening(async ({ url }, response) => {
    output.write(`begin ${url}\n`);
    await new Promise((done) => setTimeout(done, 20));
    output.write(`end ${url}\n`);
    response.end();
  });
  const end = logRequests((text) => void lines.push(text), app.port);
  await Promise.all(['/a', '/b'].map(async (path) => (await fetch(`http://127.0.0.1:${app.port}${path}`)).text()));
  const requests = await linesOf(lines, 2);
  end();
  await app.close();
  for (const path of ['/a', '/b']) {
    const id = requests.find((line) => line?.path === path)?.id;
    expect(id).toMatch(/^[\w-]{8}$/);
    const own = printed.map((text) => parseLine(text.trimEnd())).filter(({ requestId }) => requestId === id);
    expect(own.map(({ text }) => text)).toEqual([`begin ${path}`, `end ${path}`]);
  }
});

test('limits the lines of a minute, and the next line has the number of skipped ones', async () => {
  const app = await listening((_, response) => response.end());
  const lines: string[] = [];
  let time = 0;
  const end = logRequests(
    (text) => void lines.push(text),
    app.port,
    () => time,
  );
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${app.port}${path}`)).text();
  for (let n = 0; n < MAX_LINES_PER_MINUTE + 3; n += 1) await ask('/many');
  await linesOf(lines, MAX_LINES_PER_MINUTE);
  time += 60_000;
  await ask('/later');
  const parsed = await linesOf(lines, MAX_LINES_PER_MINUTE + 1);
  expect(parsed.at(-1)).toMatchObject({ path: '/later', skipped: 3 });
  expect(parsed.slice(0, -1).every((line) => line?.skipped === 0)).toBe(true);
  end();
  await app.close();
});
