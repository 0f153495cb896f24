import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { DASHBOARD_PATH } from '../../contract/route.ts';
import { builtWebApp } from '../../lib/build/web-app.ts';
import { CACHE_FOR_EVER, CACHE_NEVER, WEB_APP_ASSETS, webAppHeaders } from '../../lib/build/web-app-headers.ts';
import { splitTarget } from './http-event.ts';

const PREFIX = '/dashboard';

/** Where the web app finds its API and its login: `dashboard/settings.ts` reads it. */
export interface WebAppSettings {
  issuer: string;
  clientId: string;
  apiUrl: string;
}

/** Whether a request is for the web app: below `/dashboard`, and not for the API there. */
export function isWebApp(method: string, target: string): boolean {
  const { path } = splitTarget(target);
  const below = path === PREFIX || path.startsWith(`${PREFIX}/`);
  const api = path === DASHBOARD_PATH || path.startsWith(`${DASHBOARD_PATH}/`);
  return below && !api && (method === 'GET' || method === 'HEAD');
}

interface File {
  type: string;
  /** Its bytes, by how they are encoded; `''` as they are. */
  bytes: Readonly<Record<Encoding | '', Buffer>>;
  tag: string;
}

/** What CloudFront compresses to, the better one first. */
const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** As hard as an edge compresses, which does it as it goes. */
const EFFORT = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
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
  bytes: { '': bytes, br: await toBrotli(bytes, EFFORT), gzip: await toGzip(bytes) },
  tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
});

/** The best encoding that a client takes (`accept-encoding: gzip, br`); `''` where it takes none. */
function encodingFor(accepted: string): Encoding | '' {
  const taken = accepted.split(',').filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each));
  const names = taken.map((each) => each.split(';', 1)[0]?.trim());
  return ENCODINGS.find((encoding) => names.includes(encoding)) ?? '';
}

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
 * The dashboard's files, as CloudFront serves them: a path that is no file is the app's own, and gets its page.
 *
 * @param watch built again when its sources have changed and the page is loaded anew
 */
export function makeWebApp(settings: WebAppSettings, { watch = false } = {}) {
  const safety = webAppHeaders([new URL(settings.issuer).origin]);
  let files: Promise<ReadonlyMap<string, File>> | undefined;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume();
    const { path } = splitTarget(request.url ?? '/');
    const asset = path.startsWith(WEB_APP_ASSETS);
    if (watch && !asset) files = undefined;
    // Built when first asked for: starting the platform does not wait for it.
    files ??= builtWebApp().then((folder) => read(folder, settings));
    const found = await files.catch((error: unknown) => {
      files = undefined;
      throw error;
    });
    const file = found.get(path) ?? (asset ? undefined : found.get(`${PREFIX}/index.html`));
    if (!file) {
      response.writeHead(404, { ...safety, 'content-type': 'text/plain' }).end('There is no such file.\n');
      return;
    }
    const encoding = encodingFor(String(request.headers['accept-encoding'] ?? ''));
    const headers = {
      ...safety,
      etag: file.tag,
      'cache-control': asset ? CACHE_FOR_EVER : CACHE_NEVER,
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
