import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { ApiError, invalidField } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import type { Deps } from '../../domain/deps.ts';
import { startEarly } from '../../domain/early.ts';
import { IdempotencyRecord } from '../../table/entities/accounts.ts';
import { epoch } from '../../table/entity.ts';
import { create } from '../../table/writes.ts';

/**
 * A request with an `Idempotency-Key`. The first response is stored in the same transaction as the work, and is returned again for
 * 24 hours. A response may contain a secret (of a new webhook, for example), so it is encrypted with a key derived from the caller's
 * API key, which the platform does not store (docs/decisions/0005-idempotency-in-the-transaction.md).
 */
export interface IdempotentRequest {
  /**
   * Returns the stored output, or undefined for the first request. Throws 400 for a malformed key, and 409 if the key was used for
   * another request or in another account. The lookup starts when this object is created, in parallel with the authentication.
   */
  stored(accountId: string): Promise<unknown>;
  /** Looks up the stored output again: the same request may have been processed concurrently. */
  lookup(accountId: string): Promise<unknown>;
  /** Returns `deps` whose commit also stores the output. */
  withIdempotency(deps: Deps, accountId: string): Deps;
}

const sha256 = (...parts: string[]) => createHash('sha256').update(parts.join('\n')).digest('hex');

function encrypt(secret: Buffer, output: unknown): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', secret, iv);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(output), 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return Buffer.concat([iv, sealed]).toString('base64');
}

function decrypt(secret: Buffer, text: string): unknown {
  const bytes = Buffer.from(text, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  const plain = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
  return JSON.parse(plain.toString('utf8'));
}

/**
 * Returns the JSON text of a value with the fields of every object in alphabetical order, so that equal bodies have equal texts.
 * Throws for a value that is nested too deeply to be serialized.
 */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, nested: unknown) =>
    isObject(nested) ? Object.fromEntries(Object.entries(nested).sort(([a], [b]) => (a < b ? -1 : 1))) : nested,
  );

/** The parts of a request that must be the same in a repeated request. */
interface Repeatable {
  operation: string;
  path: string;
  /** The body as it was sent. */
  body: string;
  /** The body as {@link canonicalJson}, or as it was sent if it is not JSON. */
  canonicalBody: string;
}

/**
 * Starts the lookup of a request's stored output.
 *
 * @param key the `Idempotency-Key`
 * @param subject the caller's key text or login, from which the record's id and encryption key are derived
 */
export function idempotentRequest(
  { table, now }: Pick<Deps, 'table' | 'now'>,
  key: string,
  subject: string,
  { operation, path, body, canonicalBody }: Repeatable,
): IdempotentRequest {
  const id = sha256('answer', subject, key);
  const requestHash = sha256(operation, path, body);
  const canonicalHash = sha256(operation, path, canonicalBody);
  const secret = Buffer.from(hkdfSync('sha256', subject, key, 'idempotency', 32));
  const find = async (): Promise<IdempotencyRecord | undefined> => {
    if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
      throw invalidField('Idempotency-Key', 'must be 1-255 ASCII characters');
    }
    const record = await table.get(IdempotencyRecord, { id });
    // The table deletes a record hours or days after it has expired.
    return record && (IdempotencyRecord.expiresAtEpoch?.(record) ?? 0) > epoch(now()) ? record : undefined;
  };
  const outputOf = (record: IdempotencyRecord | undefined, accountId: string): unknown => {
    if (!record) return undefined;
    const isSameRequest = record.requestHash === requestHash || record.canonicalHash === canonicalHash;
    if (!isSameRequest || (record.accountId ?? accountId) !== accountId)
      throw new ApiError('conflict', 'This Idempotency-Key was used for another request.');
    return decrypt(secret, record.sealed);
  };
  const early = startEarly(find());
  return {
    stored: async (accountId) => outputOf(await early, accountId),
    lookup: async (accountId) => outputOf(await find(), accountId),
    withIdempotency: (deps, accountId) => ({
      ...deps,
      commit: async (writes, output, change) => {
        const createdAt = deps.now().toISOString();
        const record = { id, accountId, requestHash, canonicalHash, sealed: encrypt(secret, output), createdAt };
        const inUse = () =>
          new ApiError(
            'conflict',
            'Another request with this Idempotency-Key came first. Repeat this one to get its response.',
          );
        // This write is first, so that a repeated request gets this conflict instead of another one that it causes.
        const unlessInUse = { expiresAtEpoch: { absentOrBelow: epoch(now()) + 1 } };
        return await deps.commit([create(IdempotencyRecord, record, inUse, unlessInUse), ...writes], output, change);
      },
    }),
  };
}
