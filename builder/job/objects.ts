import { setTimeout as sleep } from 'node:timers/promises';
import type { SignedRequest } from '../../providers/builds/access.ts';

const ATTEMPTS = 5;
const RETRY_MS = 300;
const TIMEOUT_MS = 300_000;

/** S3's answer for a missing object: 403 to those who may not list the bucket. */
const isAbsent = (status: number): boolean => status === 404 || status === 403;

interface Response {
  status: number;
  body: Buffer;
}

/** Sends a signed request. Repeats it after broken connections, 5xx, throttling and conflicting writes. */
async function send({ method, url, headers }: SignedRequest, content?: Buffer | string): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(url, {
        ...{ method, headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) },
        ...(content === undefined ? {} : { body: new Uint8Array(Buffer.from(content)) }),
      });
      const body = Buffer.from(await response.arrayBuffer());
      // Stored by an earlier attempt whose answer was lost: only this process can have sent it.
      const isStored = response.status === 412 && attempt > 1;
      const isTemporary = response.status >= 500 || response.status === 429 || response.status === 409;
      if (!isTemporary || attempt === ATTEMPTS) return { status: isStored ? 200 : response.status, body };
    } catch (error) {
      // The message only: the error may quote the address, which is a secret.
      if (attempt === ATTEMPTS) throw new Error(`${method} failed: ${error instanceof Error ? error.name : 'unknown'}`);
    }
    await sleep(RETRY_MS * attempt);
  }
}

/** Reads an object; undefined if it does not exist. */
export async function readObject(request: SignedRequest): Promise<Buffer | undefined> {
  const { status, body } = await send(request);
  if (status === 200) return body;
  if (isAbsent(status)) return undefined;
  throw new Error(`Reading an object of the build answered ${status}`);
}

/** Stores an object. Throws if it exists and the request is for a new one. */
export async function storeObject(request: SignedRequest, content: Buffer | string): Promise<void> {
  const { status } = await send(request, content);
  if (status !== 200) throw new Error(`Storing an object of the build answered ${status}`);
}

/** Deletes an object. */
export async function removeObject(request: SignedRequest): Promise<void> {
  const { status } = await send(request);
  if (status !== 204 && status !== 200) throw new Error(`Deleting an object of the build answered ${status}`);
}
