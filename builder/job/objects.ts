import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SignedRequest } from '../../providers/builds/access.ts';
import { openRequest, readBody } from '../http.ts';

const ATTEMPTS = 5;
const RETRY_MS = 300;
const TIMEOUT_MS = 300_000;

/** Returns true for S3's statuses of a missing object. It is 403 if the caller may not list the bucket. */
const isAbsent = (status: number): boolean => status === 404 || status === 403;

interface Response<T> {
  status: number;
  body: T;
}

/**
 * Sends a signed request. Retries it after broken connections, 5xx, throttling and conflicting writes.
 * @param read reads the response
 */
async function send<T>(
  request: SignedRequest,
  read: (answer: IncomingMessage) => T | Promise<T>,
  content?: Buffer,
): Promise<Response<T>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await openRequest({ ...request, content, timeoutMs: TIMEOUT_MS });
      const { statusCode: status = 0 } = answer;
      const body = await read(answer);
      // An earlier attempt, whose response was lost, stored the object: no other process can have sent it.
      const isStored = status === 412 && attempt > 1;
      const isTemporary = status >= 500 || status === 429 || status === 409;
      if (!isTemporary || attempt === ATTEMPTS) return { status: isStored ? 200 : status, body };
    } catch (error) {
      // Reports only the error's name, because its message may quote the URL, which is a secret.
      if (attempt === ATTEMPTS)
        throw new Error(`${request.method} failed: ${error instanceof Error ? error.name : 'unknown'}`);
    }
    await sleep(RETRY_MS * attempt);
  }
}

/** Reads an object; undefined if it does not exist. */
export async function readObject(request: SignedRequest): Promise<Buffer | undefined> {
  return ifPresent(await send(request, readBody));
}

/** Opens an object as a stream; undefined if it does not exist. */
export async function openObject(request: SignedRequest): Promise<Readable | undefined> {
  return ifPresent(await send(request, (answer) => (answer.statusCode === 200 ? answer : answer.resume())));
}

function ifPresent<T>({ status, body }: Response<T>): T | undefined {
  if (status === 200) return body;
  if (isAbsent(status)) return undefined;
  throw new Error(`Reading an object of the build answered ${status}`);
}

/** Stores an object. Throws if it exists and the request is for a new one. */
export async function storeObject(request: SignedRequest, content: Buffer | string): Promise<void> {
  const { status } = await send(request, readBody, typeof content === 'string' ? Buffer.from(content) : content);
  if (status !== 200) throw new Error(`Storing an object of the build answered ${status}`);
}

/** Deletes an object. */
export async function removeObject(request: SignedRequest): Promise<void> {
  const { status } = await send(request, readBody);
  if (status !== 204 && status !== 200) throw new Error(`Deleting an object of the build answered ${status}`);
}
