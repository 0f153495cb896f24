import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { ApiError } from '../contract/errors.ts';
import type { Deps } from '../domain/deps.ts';
import { Answer } from '../table/entities.ts';
import type { Table } from '../table/table.ts';
import { create } from '../table/writes.ts';

/**
 * `Idempotency-Key`: the first call's answer stands in the table, put there in the very transaction that did the work,
 * and is given again for 24 hours. Answers may hold secrets (a new webhook's), so each is sealed under a key made from
 * the caller's own API key, which the platform does not keep.
 */
export interface Idempotency {
  /** The remembered answer, or undefined when this is the first call. Throws 409 when the request was another one.
   * Its look-up began with this object, beside whatever the request does first. */
  remembered: Promise<unknown>;
  /** Looks again: the same call may have been under way twice. */
  recall(): Promise<unknown>;
  /** `deps` whose commit also remembers the answer. */
  remembering(deps: Deps): Deps;
}

const sha256 = (...parts: string[]) => createHash('sha256').update(parts.join('\n')).digest('hex');

function seal(secret: Buffer, output: unknown): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', secret, iv);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(output), 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return Buffer.concat([iv, sealed]).toString('base64');
}

function unseal(secret: Buffer, text: string): unknown {
  const bytes = Buffer.from(text, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  const plain = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
  return JSON.parse(plain.toString('utf8'));
}

/**
 * @param principal the caller's key text: what the answers are found by and sealed under
 * @param request method, path and body: what a repeat must match
 */
export function idempotency(table: Table, key: string, principal: string, request: string[]): Idempotency {
  const id = sha256('answer', principal, key);
  const requestHash = sha256(...request);
  const secret = Buffer.from(hkdfSync('sha256', principal, key, 'idempotency', 32));
  const recall = async (): Promise<unknown> => {
    if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
      throw new ApiError('invalid_request', 'Idempotency-Key: must be 1-255 ASCII characters');
    }
    const answer = await table.get(Answer, { id });
    if (!answer) return undefined;
    if (answer.requestHash !== requestHash) {
      throw new ApiError('conflict', 'This Idempotency-Key was used for another request.');
    }
    return unseal(secret, answer.sealed);
  };
  const remembered = recall();
  remembered.catch(() => undefined); // awaited after authentication, which may refuse first
  return {
    remembered,
    recall,
    remembering: (deps) => ({
      ...deps,
      commit: async (writes, output) => {
        const createdAt = deps.now().toISOString();
        const answer = { id, requestHash, sealed: seal(secret, output), createdAt };
        // First, so that a repeat is told from whatever else it then clashes with.
        const lost = () => new ApiError('conflict', 'This Idempotency-Key is in use.');
        return await deps.commit([create(Answer, answer, lost), ...writes], output);
      },
    }),
  };
}
