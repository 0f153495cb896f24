import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { openSite } from './site.ts';

const roots: string[] = [];
const servers: Server[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) server.close();
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Serves these files and returns a function that requests a path. */
async function serve(
  files: Record<string, string | Buffer>,
  single = false,
  links: Record<string, string> = {},
  next?: Parameters<typeof openSite>[1]['next'],
) {
  const root = mkdtempSync(join(tmpdir(), 'site-'));
  roots.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path));
  const site = openSite(root, { single, ...(next && { next }) });
  const server = createServer((request, response) => {
    site(request, response).catch(() => response.writeHead(500).end());
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<Answer>((resolve, reject) => {
      get({ host: '127.0.0.1', port, path, headers, method }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
        );
      }).on('error', reject);
    });
}

test.each([
  ['/', 200, 'text/html; charset=utf-8', 'home'],
  ['/about', 200, 'text/html; charset=utf-8', 'about'],
  ['/docs/', 200, 'text/html; charset=utf-8', 'docs'],
  ['/a%20b.txt', 200, 'text/plain; charset=utf-8', 'spaced'],
  ['/.well-known/x', 200, 'application/octet-stream', 'known'],
  ['/logo.svg', 200, 'image/svg+xml', '<svg/>'],
])('serves %s', async (path, status, type, body) => {
  const request = await serve({
    'index.html': 'home',
    'about.html': 'about',
    'docs/index.html': 'docs',
    'a b.txt': 'spaced',
    '.well-known/x': 'known',
    'logo.svg': '<svg/>',
  });
  const answer = await request(path);
  expect([answer.status, answer.headers['content-type'], answer.body.toString()]).toEqual([status, type, body]);
});

test('never serves paths that are outside, hidden or invalid', async () => {
  const request = await serve({ 'index.html': '', '.env': 'SECRET', '.git/config': 'x' }, false, { out: '/etc' });
  for (const path of [
    '/.env',
    '/.git/config',
    '/../etc/passwd',
    '/%2e%2e/etc/passwd',
    '/out/passwd',
    '/%00',
    '/%zz',
    '/x/..%2f..%2fetc/passwd',
    `/${'x'.repeat(300)}`,
  ]) {
    expect((await request(path)).status, path).toBe(404);
  }
  expect((await request('/', {}, 'POST')).status).toBe(405);
});

test('redirects a directory to its URL with a slash, on the same host', async () => {
  const request = await serve({ 'docs/index.html': 'x' });
  expect((await request('/docs?a=1')).headers.location).toBe('/docs/?a=1');
  expect((await request('/docs?next=/x?y=1')).headers.location).toBe('/docs/?next=/x?y=1');
  expect((await request('//docs')).headers.location).toBe('/docs/');
});

test('unknown paths get 404, the page 404.html, or the front page if requested', async () => {
  expect((await (await serve({ 'index.html': 'home' }))('/x')).status).toBe(404);
  expect((await (await serve({ 'index.html': 'home', '_redirects/a.html': 'a' }))('/x')).status).toBe(404);
  const custom = await (await serve({ 'index.html': 'home', '404.html': 'lost' }))('/x');
  expect([custom.status, custom.body.toString()]).toEqual([404, 'lost']);
  for (const request of [
    await serve({ 'index.html': 'home' }, true),
    await serve({ 'index.html': 'no', '200.html': 'home' }),
    await serve({ 'index.html': 'home', _redirects: '/*  /index.html  200\n' }),
  ]) {
    const answer = await request('/some/route');
    expect([answer.status, answer.body.toString()]).toEqual([200, 'home']);
  }
});

test('files with a hash are cached for a year, all others are revalidated by their ETag', async () => {
  const request = await serve({
    'index.html': 'home',
    'assets/index-BxY3k9Qz.js': 'code',
    'list-2024-2025.pdf': 'list',
  });
  expect((await request('/assets/index-BxY3k9Qz.js')).headers['cache-control']).toContain('immutable');
  for (const path of ['/', '/list-2024-2025.pdf']) {
    const { headers } = await request(path);
    expect(headers['cache-control']).toBe('public, max-age=0, must-revalidate');
    const again = await request(path, { 'if-none-match': String(headers.etag) });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  }
});

test('compresses text, and answers ranges of other files', async () => {
  const text = 'word '.repeat(1000);
  const request = await serve({ 'a.css': text, 'a.mp4': '0123456789' });
  const compressed = await request('/a.css', { 'accept-encoding': 'gzip, br' });
  expect([compressed.headers['content-encoding'], compressed.headers.vary]).toEqual(['br', 'accept-encoding']);
  expect(brotliDecompressSync(compressed.body).toString()).toBe(text);
  const range = await request('/a.mp4', { range: 'bytes=2-4' });
  expect([range.status, range.body.toString(), range.headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10']);
  expect((await request('/a.mp4', { range: 'bytes=-3' })).body.toString()).toBe('789');
  expect((await request('/a.mp4', { range: 'bytes=20-' })).status).toBe(416);
  const rest = (tag: string) => request('/a.mp4', { range: 'bytes=5-', 'if-range': tag });
  expect((await rest(String(range.headers.etag))).status).toBe(206);
  const changed = await rest('"earlier"');
  expect([changed.status, changed.body.toString()], 'a download is not continued with another file').toEqual([
    200,
    '0123456789',
  ]);
  expect((await request('/a.mp4', {}, 'HEAD')).headers['content-length']).toBe('10');
});

test('sends files that the build compressed itself, with the URL and type of the original', async () => {
  const request = await serve({ 'a.js': 'original', 'a.js.br': brotliCompressSync('compressed') });
  const answer = await request('/a.js', { 'accept-encoding': 'br' });
  expect(brotliDecompressSync(answer.body).toString()).toBe('compressed');
  expect(answer.headers).toMatchObject({
    'content-encoding': 'br',
    'content-type': expect.stringContaining('javascript'),
  });
  expect((await request('/a.js')).body.toString()).toBe('original');
});

test('closes the file if a visitor disconnects during a download', async () => {
  await serve({ 'film.bin': Buffer.alloc(20_000_000) });
  const handle = await open(join(roots.at(-1) ?? '', 'film.bin'));
  // Kept here, because what is collected as garbage is closed too, with a warning in the application's log.
  const { mock } = vi.spyOn(Object.getPrototypeOf(handle), 'createReadStream');
  await handle.close();
  const address = servers.at(-1)?.address() as AddressInfo | undefined;
  await new Promise<void>((resolve, reject) => {
    get({ host: '127.0.0.1', port: address?.port, path: '/film.bin' }, (answer) => {
      answer.once('data', () => resolve(void answer.destroy()));
    }).on('error', reject);
  });
  const areClosed = () => mock.results.map(({ value }) => value.destroyed);
  await vi.waitFor(() => expect(areClosed()).toEqual([true, true]), { timeout: 20_000 });
});

test('serves a file after a temporary failure to read it', async () => {
  // The memory of a process is a file that cannot be read from its beginning.
  const request = await serve({ 'a.js': 'original' }, false, { 'a.js.br': '/proc/self/mem' });
  const headers = { 'accept-encoding': 'br' };
  expect((await request('/a.js', headers)).status).toBe(500);
  const root = roots.at(-1) ?? '';
  rmSync(join(root, 'a.js.br'));
  writeFileSync(join(root, 'a.js.br'), brotliCompressSync('from the build'));
  const { status, body } = await request('/a.js', headers);
  expect([status, brotliDecompressSync(body).toString()]).toEqual([200, 'from the build']);
});

test('a handler beside the files answers what they do not: unknown paths, directories and forms', async () => {
  const files = { 'assets/a.js': 'file', '404.html': 'missing', 'docs/index.html': 'docs' };
  const send = await serve(
    files,
    false,
    {},
    async ({ method, url }, response) => void response.end(`${method} ${url}`),
  );
  const sent = async (...of: Parameters<typeof send>) => String((await send(...of)).body);
  expect(await sent('/assets/a.js?v=1')).toBe('file');
  expect(await sent('/docs')).toBe('docs');
  for (const path of ['/', '/assets', '/unknown?a=b', '/%', '/.env']) expect(await sent(path)).toBe(`GET ${path}`);
  expect(await sent('/assets/a.js', {}, 'POST')).toBe('POST /assets/a.js');
});
