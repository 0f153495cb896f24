import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
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
}

/** A file of the site and the status that it is sent with. */
interface Found {
  file: string;
  status: 200 | 404;
}

const IMMUTABLE = 'public, max-age=31536000, immutable';
const REVALIDATE = 'public, max-age=0, must-revalidate';
/** Larger files are sent as they are, in pieces; in bytes. */
const MAX_COMPRESSED_BYTES = 2 * 1024 * 1024;
/** Compressed files that are kept in memory, in bytes. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
/** Compression level of a server that compresses once per file and instance. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/**
 * Returns a handler that serves the files of a directory: index files, addresses without `.html`, ETag, ranges and
 * compression. A file `404.html` answers unknown paths, with 404. Unknown paths get a page with 200 where that was asked
 * for: by the option, by a file `200.html`, or by the line `/* /index.html 200` in a file `_redirects`.
 */
export function openSite(directory: string, { single }: SiteOptions) {
  const root = realpathSync(directory);
  const fallback = fallbackOf(root, single);
  const tags = new Map<string, Promise<string>>();
  const compressed = new Map<string, Promise<Buffer>>();
  let keptBytes = 0;

  /** Keeps what is made of a file, unless it fails: a file that cannot be read now, such as beyond the limit of open files, is read again. */
  const keep = <T>(known: Map<string, Promise<T>>, key: string, made: Promise<T>): Promise<T> => {
    known.set(key, made);
    made.catch(() => known.delete(key));
    return made;
  };
  const tagOf = (file: string): Promise<string> => tags.get(file) ?? keep(tags, file, hashFile(file));
  const compress = async (file: string, encoding: Encoding): Promise<Buffer> => {
    const key = `${encoding} ${file}`;
    const known = compressed.get(key);
    if (known) return known;
    const prepared = `${file}${SUFFIXES[encoding]}`;
    const made = isFile(prepared) ? readFile(prepared) : readFile(file).then((bytes) => ENCODERS[encoding](bytes));
    if (keptBytes < MAX_KEPT_BYTES) void keep(compressed, key, made);
    keptBytes += (await made).length;
    return made;
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

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
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

/** Sends a file as it is, or the part of it that is asked for. */
async function sendPart(
  { file, status, size, tag }: Found & { size: number; tag: string },
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.setHeader('accept-ranges', 'bytes');
  // The rest of an earlier content of the file is of no use.
  const isCurrent = headers['if-range'] === undefined || headers['if-range'] === tag;
  const range = status === 200 && isCurrent ? parseRange(headers.range, size) : undefined;
  if (range === 'unsatisfiable') return void response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
  const [start, end] = range ?? [0, size - 1];
  response.writeHead(range ? 206 : status, {
    'content-length': end - start + 1,
    ...(range ? { 'content-range': `bytes ${start}-${end}/${size}` } : {}),
  });
  if (method === 'HEAD' || size === 0) return void response.end();
  // Each ends with the other: a visitor who leaves leaves no open file behind.
  pipeline((await open(file)).createReadStream({ start, end }), response, () => undefined);
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

type Encoding = 'br' | 'gzip';
/** Files that a build compressed itself lie beside the original. */
const SUFFIXES: Record<Encoding, string> = { br: '.br', gzip: '.gz' };
const ENCODERS: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, BROTLI),
  gzip: (bytes) => promisify(gzip)(bytes),
};

function acceptedEncoding(headers: IncomingMessage['headers']): Encoding | undefined {
  const accepted = String(headers['accept-encoding'] ?? '')
    .split(',')
    .filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each))
    .map((each) => each.split(';')[0]?.trim());
  return (['br', 'gzip'] as const).find((each) => accepted.includes(each));
}

/** Returns the page for unknown paths; undefined if the site has none. */
function fallbackOf(root: string, single: boolean): Found | undefined {
  const page = (name: string, status: Found['status']): Found | undefined =>
    isFile(join(root, name)) ? { file: join(root, name), status } : undefined;
  const redirects = join(root, '_redirects');
  const asked =
    single || (existsSync(redirects) && /^\/\*\s+\/(index\.html)?\s+200!?\s*$/m.test(readFileSync(redirects, 'utf8')));
  return page('200.html', 200) ?? (asked ? page('index.html', 200) : undefined) ?? page('404.html', 404);
}

const isFile = (path: string): boolean => find(path)?.isFile() === true;
const isDirectory = (path: string): boolean => find(path)?.isDirectory() === true;

/** Returns what is at a path; undefined for nothing, also where no file system has so long a name. */
function find(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Decodes a path. Undefined for one that is invalid or hidden: of the names with a dot, only `.well-known` is public. */
function decodePath(path: string): string | undefined {
  try {
    const decoded = posix.normalize(decodeURIComponent(path));
    const isHidden = decoded.split('/').some((part) => part.startsWith('.') && part !== '.well-known');
    return isHidden || decoded.includes('\0') || !decoded.startsWith('/') ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** Returns the address with a slash for a directory with an index, so that its relative links work. */
function directoryRedirect(root: string, wanted: string, path: string, query: string | undefined): string | undefined {
  if (path.endsWith('/') || isFile(`${join(root, wanted)}.html`) || !isDirectory(join(root, wanted))) return undefined;
  if (!isFile(join(root, wanted, 'index.html'))) return undefined;
  return `${path.replace(/^\/+/, '/')}/${query === undefined ? '' : `?${query}`}`;
}

/** Finds the file of a path inside the site: itself, with `.html`, or the index of a directory. */
function findFile(root: string, path: string): Found | undefined {
  const at = join(root, path);
  const file = [at, `${at.replace(/\/$/, '')}.html`, join(at, 'index.html')].find(
    (each) => isFile(each) && realpathSync(each).startsWith(root + sep),
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
  header?.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === tag) ?? false;

/** Parses a header `Range` with one range; undefined for none or several, which are answered whole. */
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
