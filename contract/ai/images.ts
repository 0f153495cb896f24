/**
 * Images in a chat message: base64 `data:` URLs and `http(s)` URLs. Obviously invalid images are refused here, before the caller is
 * charged. Only the provider decides whether it can read an image.
 */

/** Media types that all vision models read. */
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
const DATA_URL = /^data:([a-z]+\/[a-z0-9.+-]+)(?:;[a-z0-9-]+=[^;,]*)*;base64,/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** Characters at the start of an image that identify its type. */
const SNIFFED_CHARACTERS = 64;

export type Image = { kind: 'data'; mediaType: string; base64: string } | { kind: 'url'; url: string };

/** Returns true for printable text: no image of the types above consists of it. */
function isText(start: string): boolean {
  return start.length > 0 && /^[\t\n\r\x20-\x7e]+$/.test(start);
}

function readData(url: string): Image | string {
  const [head, type = ''] = DATA_URL.exec(url.slice(0, 200)) ?? [];
  if (!head) return 'must be a data: URL in base64, e.g. data:image/png;base64,…';
  const mediaType = type.toLowerCase().replace('image/jpg', 'image/jpeg');
  if (!IMAGE_TYPES.some((known) => known === mediaType)) return `must be one of ${IMAGE_TYPES.join(', ')}`;
  const base64 = url.slice(head.length);
  if (base64 === '' || base64.length % 4 === 1 || !BASE64.test(base64)) return 'must hold base64';
  if (isText(atob(base64.slice(0, SNIFFED_CHARACTERS).replace(/=+$/, '')))) return 'is not an image';
  return { kind: 'data', mediaType, base64 };
}

/** Returns the image of an `image_url`, or the predicate of a message about it, such as `is not an image`. */
export function readImage(url: string): Image | string {
  if (/^data:/i.test(url)) return readData(url);
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return 'must be an http(s) or data: URL of an image';
  return { kind: 'url', url };
}
