import { Cache } from '../../domain/cache/cache.ts';
import type { Caller } from '../../domain/deps.ts';
import { startEarly } from '../../domain/early.ts';
import type { Identity } from './identify.ts';

/** Number of senders whose caller a warm instance remembers. */
const MAX_SENDERS = 1000;

/** Callers that senders were recently identified as: enough to read for them in advance, never to answer them. */
const recentCallers = new Cache<Caller>({ max: MAX_SENDERS });

const isSame = (one: Caller | undefined, other: Caller) =>
  one?.accountId === other.accountId && one.keyId === other.keyId && one.role === other.role;

/**
 * Runs a read in parallel with the authentication of a recently authenticated sender, for the caller that the sender was
 * identified as then: the read costs no round trip of its own (docs/decisions/0014-speculative-read.md).
 *
 * @param sender key hash or login
 * @param identification the authentication, already under way
 * @param read must change nothing
 * @returns the identity, and what was read for exactly this caller; `output` is undefined without such a read.
 *   Throws what the identification throws; what was read is dropped then.
 */
export async function withSpeculativeRead<T>(
  sender: string,
  identification: Promise<Identity>,
  read: (caller: Caller) => Promise<T>,
): Promise<Identity & { output: Promise<T> | undefined }> {
  const recent = recentCallers.get(sender);
  const output = recent && startEarly(read(recent));
  try {
    const identity = await identification;
    recentCallers.set(sender, identity.caller);
    return { ...identity, output: isSame(recent, identity.caller) ? output : undefined };
  } catch (error) {
    recentCallers.delete(sender);
    throw error;
  }
}
