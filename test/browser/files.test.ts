import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { local } from '../support/harness.ts';

/** Sends a request with exactly these headers: `fetch` would add encodings and decode them. */
function get(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; body: Buffer }>((done, fail) => {
    const asked = request(`${local.baseUrl}${path}`, { headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => done({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }));
    });
    asked.on('error', fail).end();
  });
}

async function assetOf(kind: 'js' | 'css'): Promise<string> {
  const page = (await get('/dashboard/')).body.toString();
  return new RegExp(`/dashboard/assets/app-[^"]+\\.${kind}`).exec(page)?.[0] ?? '';
}

test('files are compressed with the best encoding that the client accepts', async () => {
  const path = await assetOf('js');
  const plain = await get(path);
  expect(plain.headers['content-encoding']).toBeUndefined();
  const best = await get(path, { 'accept-encoding': 'gzip, deflate, br, zstd' });
  expect(best.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
  expect(brotliDecompressSync(best.body).equals(plain.body)).toBe(true);
  const zipped = await get(path, { 'accept-encoding': 'gzip;q=0.5, br;q=0' });
  expect(zipped.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true);
  expect(best.body.length).toBeLessThan(zipped.body.length);
});

test('immutable files are cached for ever, the page is revalidated with 304', async () => {
  const asset = await get(await assetOf('css'));
  expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  const page = await get('/dashboard/apps/any/where');
  expect(page.headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'text/html; charset=utf-8' });
  const again = await get('/dashboard/apps', { 'if-none-match': String(page.headers.etag) });
  expect([again.status, again.body.length]).toEqual([304, 0]);
  expect((await get('/dashboard/assets/gone-1234.js')).status).toBe(404);
});
