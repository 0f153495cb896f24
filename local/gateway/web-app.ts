import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { DASHBOARD_PATH } from '../../contract/route.ts';
import { buildWebApp } from '../../lib/build/web-app.ts';
import { CACHE_IMMUTABLE, CACHE_NEVER, WEB_APP_ASSETS, webAppHeaders } from '../../lib/build/web-app-headers.ts';
import { acceptedEncodings, type ENCODINGS } from './edge-cache.ts';
import { splitTarget } from './http-event.ts';

const PREFIX = '/dashboard';

/** Addresses of the web app's API and login, read by `dashboard/settings.ts`. */
export interface WebAppSettings {
  issuer: string;
  clientId: string;
  apiUrl: string;
  exampleRepository: string;
}

/** Returns true if a request is for the web app: below `/dashboard`, but not for the dashboard's API. */
export function isWebApp(method: string, target: string): boolean {
  const { path } = splitTarget(target);
  const below = path === PREFIX || path.startsWith(`${PREFIX}/`);
  const api = path === DASHBOARD_PATH || path.startsWith(`${DASHBOARD_PATH}/`);
  return below && !api && (method === 'GET' || method === 'HEAD');
}

interface File {
  type: string;
  /** Content by encoding; `''` is uncompressed. */
  bytes: Readonly<Record<Encoding | '', Buffer>>;
  tag: string;
}

type Encoding = (typeof ENCODINGS)[number];

/** Compression level of an edge that compresses on the fly. */
const COMPRESSION_LEVEL = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

const fileOf = async (name: string, bytes: Buffer): Promise<File> => ({
  type: TYPES[extname(name)] ?? 'application/octet-stream',
  bytes: { '': bytes, br: await toBrotli(bytes, COMPRESSION_LEVEL), gzip: await toGzip(bytes) },
  tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
});

async function read(folder: string, settings: WebAppSettings): Promise<ReadonlyMap<string, File>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }): Promise<[string, File]> => {
        const path = join(parentPath, name);
        return [`${PREFIX}/${relative(folder, path).split(sep).join('/')}`, await fileOf(name, await readFile(path))];
      }),
  );
  const text = Buffer.from(JSON.stringify(settings));
  return new Map([...files, [`${PREFIX}/settings.json`, await fileOf('settings.json', text)]]);
}

/**
 * Serves the dashboard's files as CloudFront does: a path that is not a file receives the app's page.
 *
 * @param watch rebuilds when the page is loaded after its sources changed
 */
export function createWebApp(settings: WebAppSettings, { watch = false } = {}) {
  const securityHeaders = webAppHeaders([new URL(settings.issuer).origin]);
  let files: Promise<ReadonlyMap<string, File>> | undefined;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume();
    const { path } = splitTarget(request.url ?? '/');
    const asset = path.startsWith(WEB_APP_ASSETS);
    if (watch && !asset) files = undefined;
    // Built on the first request, so that the platform's start does not wait for it.
    files ??= buildWebApp().then((folder) => read(folder, settings));
    const found = await files.catch((error: unknown) => {
      files = undefined;
      throw error;
    });
    const file = found.get(path) ?? (asset ? undefined : found.get(`${PREFIX}/index.html`));
    if (!file) {
      response.writeHead(404, { ...securityHeaders, 'content-type': 'text/plain' }).end('File not found.\n');
      return;
    }
    const encoding = acceptedEncodings(request.headers)[0] ?? '';
    const headers = {
      ...securityHeaders,
      etag: file.tag,
      'cache-control': asset ? CACHE_IMMUTABLE : CACHE_NEVER,
      vary: 'accept-encoding',
    };
    if (request.headers['if-none-match'] === file.tag) {
      response.writeHead(304, headers).end();
      return;
    }
    const body = file.bytes[encoding];
    response.writeHead(200, {
      ...headers,
      'content-type': file.type,
      'content-length': body.length,
      ...(encoding === '' ? {} : { 'content-encoding': encoding }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
}
