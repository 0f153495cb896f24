/** Content types by file extension: formats that are worth compressing, and formats that are compressed already. */
const TEXT: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  htm: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  cjs: 'text/javascript; charset=utf-8',
  json: 'application/json',
  map: 'application/json',
  webmanifest: 'application/manifest+json',
  xml: 'application/xml',
  rss: 'application/rss+xml',
  atom: 'application/atom+xml',
  txt: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
  ico: 'image/x-icon',
  ttf: 'font/ttf',
  otf: 'font/otf',
};
const BINARY: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  woff: 'font/woff',
  woff2: 'font/woff2',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  pdf: 'application/pdf',
  zip: 'application/zip',
  gz: 'application/gzip',
};

const lookUpExtension = (table: Readonly<Record<string, string>>, path: string): string | undefined => {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(table, extension) ? table[extension] : undefined;
};

/** Returns the content type of a file from its name. */
export const contentTypeOf = (path: string): string =>
  lookUpExtension(TEXT, path) ?? lookUpExtension(BINARY, path) ?? 'application/octet-stream';

/** Returns true if a file with this name is worth compressing. */
export const isCompressible = (path: string): boolean => lookUpExtension(TEXT, path) !== undefined;
