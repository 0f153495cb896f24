import { createHmac, hash } from 'node:crypto';
import type { Credentials } from '../config.ts';

/**
 * Signature version 4 for AWS's JSON protocols, where every request is a POST of `/`: three signatures are most of what
 * a call to a model costs us, and this takes a third of the general signer's time (aws4, which S3 keeps).
 */
const BLOCK = 64;

/** HMAC-SHA256 in two one-shot hashes, its key prepared once. */
class Hmac {
  readonly #inner = Buffer.alloc(BLOCK, 0x36);
  readonly #outer = Buffer.alloc(BLOCK + 32, 0x5c);

  /** @param key 32 bytes */
  constructor(key: Buffer) {
    for (const [index, byte] of key.entries()) {
      this.#inner.writeUInt8(0x36 ^ byte, index);
      this.#outer.writeUInt8(0x5c ^ byte, index);
    }
  }

  hex(text: string): string {
    const inner = hash('sha256', Buffer.concat([this.#inner, Buffer.from(text)]), 'buffer');
    inner.copy(this.#outer, BLOCK);
    return hash('sha256', this.#outer, 'hex');
  }
}

/** The key of a day, a region and a service; a process needs a few. */
let keys = new Map<string, Hmac>();

function keyOf(secret: string, date: string, region: string, service: string): Hmac {
  const name = [secret, date, region, service].join(' ');
  let found = keys.get(name);
  if (!found) {
    const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
    const parts = [date, region, service, 'aws4_request'];
    found = new Hmac(parts.reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secret}`)));
    if (keys.size > 20) keys = new Map();
    keys.set(name, found);
  }
  return found;
}

export interface JsonRequest {
  service: string;
  region: string;
  host: string;
  contentType: string;
  target: string;
  body: string;
}

/** The headers of a signed request. */
export function signJson(
  { service, region, host, contentType, target, body }: JsonRequest,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  now = new Date(),
): Record<string, string> {
  const time = now.toISOString().replace(/[:-]|\.\d{3}/g, '');
  const date = time.slice(0, 8);
  const headers: Record<string, string> = {
    'content-length': String(Buffer.byteLength(body)),
    'content-type': contentType,
    host,
    'x-amz-date': time,
    ...(sessionToken ? { 'x-amz-security-token': sessionToken } : {}),
    'x-amz-target': target,
  };
  // They stand in order already.
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = `POST\n/\n\n${lines.join('')}\n${names}\n${hash('sha256', body, 'hex')}`;
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', canonical, 'hex')}`;
  const signature = keyOf(secretAccessKey, date, region, service).hex(toSign);
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...headers, authorization };
}
