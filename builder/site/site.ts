import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, posix, relative, sep } from 'node:path';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { contentTypeOf, isCompressible } from './content-types.ts';
import { isHashed } from './hashed-names.ts';

export interface SiteOptions {
  /** True if unknown paths get the front page. */
  single: boolean;
  /** Answers the requests for which the site has no file, in place of its pages for unknown paths. */
  next?: Handler;
}

/** Answers a request of Node. Rejects if it fails. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A file of the site, and the status with which it is sent. */
interface Found {
  file: string;
  status: 200 | 404;
}

const IMMUTABLE = 'public, max-age=31536000, immutable';
const REVALIDATE = 'public, max-age=0, must-revalidate';
/** Maximum size of files that are compressed, in bytes. Larger files are streamed uncompressed. */
const MAX_COMPRESSED_BYTES = 2 * 1024 * 1024;
/** Maximum size of all compressed files in memory, in bytes. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
/** Compression level for a server that compresses each file once per instance. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/**
 * Returns a handler that serves the files of a directory, with index files, URLs without `.html`, ETags, ranges and compression. For unknown
 * paths it sends the file `404.html` with 404. It sends a page with 200 instead if requested by the option, by a file `200.html`, or by the
 * line `/* /index.html 200` in a file `_redirects`.
 */
export function openSite(directory: string, { single, next }: SiteOptions): Handler {
  const root = realpathSync(directory);
  const fallback = fallbackOf(root, single);
  const tags = new Map<string, Promise<string>>();
  const compressed = new Map<string, Promise<Buffer>>();
  let keptBytes = 0;

  /** Caches a promise unless it rejects, so that a file is read again after a temporary failure, such as too many open files. */
  const keep = <T>(cache: Map<string, Promise<T>>, key: string, promise: Promise<T>): Promise<T> => {
    cache.set(key, promise);
    promise.catch(() => cache.delete(key));
    return promise;
  };
  const tagOf = (file: string): Promise<string> => tags.get(file) ?? keep(tags, file, hashFile(file));
  const compress = async (file: string, encoding: Encoding): Promise<Buffer> => {
    const key = `${encoding} ${file}`;
    const cached = compressed.get(key);
    if (cached) return cached;
    const precompressed = `${file}${SUFFIXES[encoding]}`;
    const bytes = isFile(precompressed)
      ? readFile(precompressed)
      : readFile(file).then((content) => ENCODERS[encoding](content));
    if (keptBytes < MAX_KEPT_BYTES) void keep(compressed, key, bytes);
    keptBytes += (await bytes).length;
    return bytes;
  };

  const send = async ({ file, status }: Found, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, headers } = request;
    const { size } = statSync(file);
    const encoding = isCompressible(file) && size <= MAX_COMPRESSED_BYTES ? acceptedEncoding(headers) : undefined;
    const tag = `"${await tagOf(file)}${encoding ? `-${encoding}` : ''}"`;
    const isImmutable = status === 200 && isHashed(relative(root, file));
    response.setHeader('content-type', contentTypeOf(file));
    response.setHeader('cache-control', isImmutable ? IMMUTABLE : REVALIDATE);
    response.setHeader('etag', tag);
    response.setHeader('x-content-type-options', 'nosniff');
    if (isCompressible(file)) response.setHeader('vary', 'accept-encoding');
    if (status === 200 && matchesTag(headers['if-none-match'], tag)) return void response.writeHead(304).end();
    if (!encoding) return await sendPart({ file, status, size, tag }, request, response);
    const bytes = await compress(file, encoding);
    response.writeHead(status, { 'content-encoding': encoding, 'content-length': bytes.length });
    response.end(method === 'HEAD' ? undefined : bytes);
  };

  if (next) {
    return async (request, response) => {
      const { method = 'GET', url = '/' } = request;
      const path = /^(GET|HEAD)$/.test(method) ? decodePath(url.replace(/\?.*$/s, '')) : undefined;
      const file = path === undefined ? undefined : findFile(root, path);
      await (file ? send(file, request, response) : next(request, response));
    };
  }
  return async (request, response) => {
    const { method = 'GET', url = '/' } = request;
    if (method !== 'GET' && method !== 'HEAD') return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
    const [, path = '/', query] = /^([^?]*)(?:\?(.*))?$/s.exec(url) ?? [];
    const wanted = decodePath(path);
    const redirect = wanted === undefined ? undefined : directoryRedirect(root, wanted, path, query);
    if (redirect !== undefined) return void response.writeHead(308, { location: redirect }).end();
    const found = (wanted === undefined ? undefined : findFile(root, wanted)) ?? fallback;
    if (!found) return void response.writeHead(404, TEXT).end('Not found.\n');
    await send(found, request, response);
  };
}

/** Sends a file uncompressed, or the requested range of it. */
async function sendPart(
  { file, status, size, tag }: Found & { size: number; tag: string },
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.setHeader('accept-ranges', 'bytes');
  // With `If-Range`, a range of changed content is useless to the client, which then gets the whole file.
  const isCurrent = headers['if-range'] === undefined || headers['if-range'] === tag;
  const range = status === 200 && isCurrent ? parseRange(headers.range, size) : undefined;
  if (range === 'unsatisfiable') return void response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
  const [start, end] = range ?? [0, size - 1];
  response.writeHead(range ? 206 : status, {
    'content-length': end - start + 1,
    ...(range ? { 'content-range': `bytes ${start}-${end}/${size}` } : {}),
  });
  if (method === 'HEAD' || size === 0) return void response.end();
  // `pipeline` closes the file if the visitor disconnects.
  pipeline((await open(file)).createReadStream({ start, end }), response, () => undefined);
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

type Encoding = 'br' | 'gzip';
/** Suffixes of files that the build compressed itself, next to the original. */
const SUFFIXES: Record<Encoding, string> = { br: '.br', gzip: '.gz' };
const ENCODERS: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, BROTLI),
  gzip: (bytes) => promisify(gzip)(bytes),
};

function acceptedEncoding(headers: IncomingMessage['headers']): Encoding | undefined {
  const accepted = String(headers['accept-encoding'] ?? '')
    .split(',')
    .filter((coding) => !/;\s*q=0(\.0*)?\s*$/.test(coding))
    .map((coding) => coding.split(';')[0]?.trim());
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding));
}

/** Returns true for the line of a file `_redirects` by which a single-page application requests its front page for unknown paths. */
export const isFrontPageRule = (line: string): boolean => /^\/\*\s+\/(index\.html)?\s+200!?\s*$/.test(line);

/** Returns the page for unknown paths; undefined if the site has none. */
function fallbackOf(root: string, single: boolean): Found | undefined {
  const page = (name: string, status: Found['status']): Found | undefined =>
    isFile(join(root, name)) ? { file: join(root, name), status } : undefined;
  const redirects = join(root, '_redirects');
  const servesFrontPage =
    single || (isFile(redirects) && readFileSync(redirects, 'utf8').split('\n').some(isFrontPageRule));
  return page('200.html', 200) ?? (servesFrontPage ? page('index.html', 200) : undefined) ?? page('404.html', 404);
}

const isFile = (path: string): boolean => find(path)?.isFile() === true;
const isDirectory = (path: string): boolean => find(path)?.isDirectory() === true;

/** Returns the file or directory at a path; undefined if there is none or the name is too long for the file system. */
function find(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Decodes a path. Returns undefined for an invalid or hidden path: of the names that begin with a dot, only `.well-known` is public. */
function decodePath(path: string): string | undefined {
  try {
    const decoded = posix.normalize(decodeURIComponent(path));
    const isHidden = decoded.split('/').some((part) => part.startsWith('.') && part !== '.well-known');
    return isHidden || decoded.includes('\0') || !decoded.startsWith('/') ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** Returns the URL with a trailing slash for a directory with an index, so that relative links work. */
function directoryRedirect(root: string, wanted: string, path: string, query: string | undefined): string | undefined {
  if (path.endsWith('/') || isFile(`${join(root, wanted)}.html`) || !isDirectory(join(root, wanted))) return undefined;
  if (!isFile(join(root, wanted, 'index.html'))) return undefined;
  return `${path.replace(/^\/+/, '/')}/${query === undefined ? '' : `?${query}`}`;
}

/** Finds the file for a path inside the site: the path itself, the path with `.html`, or the index of a directory. */
function findFile(root: string, path: string): Found | undefined {
  const at = join(root, path);
  const file = [at, `${at.replace(/\/$/, '')}.html`, join(at, 'index.html')].find(
    (candidate) => isFile(candidate) && realpathSync(candidate).startsWith(root + sep),
  );
  return file === undefined ? undefined : { file, status: 200 };
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(file);
  for await (const chunk of handle.createReadStream()) hash.update(chunk);
  return hash.digest('base64url').slice(0, 22);
}

const matchesTag = (header: string | undefined, tag: string): boolean =>
  header?.split(',').some((value) => value.trim() === '*' || value.trim().replace(/^W\//, '') === tag) ?? false;

/** Parses a `Range` header. Returns undefined for none or several ranges, which are answered with the whole file. */
function parseRange(
  header: string | undefined,
  size: number,
): [start: number, end: number] | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start > end || start >= size ? 'unsatisfiable' : [start, end];
}
