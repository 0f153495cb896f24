import { Cache } from '../../domain/cache/cache.ts';
import type { Caller } from '../../domain/deps.ts';
import { startEarly } from '../../domain/early.ts';
import type { Identity } from './identify.ts';

/** The number of senders whose caller a warm instance remembers. */
const MAX_SENDERS = 1000;

/** The latest callers of senders. They may be used to start a read early, but never to return its output. */
const recentCallers = new Cache<Caller>({ max: MAX_SENDERS });

/** The fields of a caller on which the output of a read may depend; those of the session that differ between people, not requests. */
const identityOf = ({ accountId, keyId, role, email, session }: Caller) =>
  JSON.stringify([accountId, keyId, role, email, session?.subject, session?.isOperator]);

const isSame = (recent: Caller | undefined, caller: Caller) =>
  recent !== undefined && identityOf(recent) === identityOf(caller);

/**
 * Authenticates a sender and, in parallel, reads for the caller that the sender was last identified as. The read thus needs no extra
 * round trip (docs/decisions/0014-speculative-read.md).
 *
 * @param sender key hash or login
 * @param identification the authentication, already in progress
 * @param read must not change anything
 * @returns the identity, and the output of the read if it was made for exactly this caller; otherwise `output` is undefined.
 *   Throws the errors of the identification, and then drops the output.
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
