import { createHash } from 'node:crypto';
import type { HostingAccount } from '../../table/entities/hosting.ts';
import type { AccountScopedId } from '../../table/entity.ts';
import type { Deps } from '../deps.ts';
import { MINUTE_MS, timestampAfter } from '../time.ts';

/** Time that an execution has before the reconciler starts another one, in milliseconds. */
export const HEARTBEAT_TIMEOUT_MS = 10 * MINUTE_MS;

/**
 * Derives an account's user name from a text that begins with its subscription's id. cPanel allows at most 16 characters, and the first
 * eight must be unique per account: they carry 36 bits of the text's hash. If the name is taken, `renameAccount` (accounts.ts) chooses another one.
 */
export const usernameFor = (text: string): string => {
  const digest = createHash('sha256').update(text).digest();
  return `h${(digest.readBigUInt64BE() % 36n ** 7n).toString(36).padStart(7, '0')}`;
};

/** Returns the account of a subscription that is not on a server yet. It is due, in case the event that starts its first check is lost. */
export const newAccount = ({ now }: Pick<Deps, 'now'>, { accountId, id }: AccountScopedId): HostingAccount => ({
  accountId,
  id,
  status: 'PENDING',
  failures: 0,
  server: '',
  username: usernameFor(id),
  dueAt: timestampAfter(now(), HEARTBEAT_TIMEOUT_MS),
});
