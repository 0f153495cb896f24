import { createHash } from 'node:crypto';
import { MailAddress } from '../../table/entities/mail.ts';
import { upsert, type Write } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';

/** Knowledge about email addresses (docs/decisions/0073-more-notifications.md). They are stored as hashes. */

/** An address is sent one invitation in this time, whichever accounts invite it, in seconds. */
const INVITATION_INTERVAL = 3600;

const keyOf = (address: string) => ({ hash: createHash('sha256').update(address.toLowerCase()).digest('hex') });
const epochOf = (now: Date) => Math.floor(now.getTime() / 1000);

/** Reads what is known of an address; undefined where nothing is. */
export const readMailAddress = ({ table }: Pick<Deps, 'table'>, address: string): Promise<MailAddress | undefined> =>
  table.get(MailAddress, keyOf(address));

/** Tells whether an invitation may be sent to an address now. */
export const mayBeInvited = (known: MailAddress | undefined, now: Date): boolean =>
  (known?.invitedAtEpoch ?? 0) <= epochOf(now) - INVITATION_INTERVAL;

/**
 * Returns the write by which an invitation takes the place of an address for this hour. It may be repeated for the same one.
 * @param onRefused makes the error where another one was sent
 */
export function takeInvitation(address: string, invitedFor: string, now: Date, onRefused: () => Error): Write {
  const invitedAtEpoch = epochOf(now);
  const item = { ...keyOf(address), at: now.toISOString(), invitedAtEpoch, invitedFor };
  return upsert(
    MailAddress,
    item,
    {
      set: { ...item, expiresAtEpoch: MailAddress.expiresAtEpoch?.(item) },
      whenAny: [
        [
          { invitedAtEpoch: 'absent' },
          { invitedAtEpoch: { below: invitedAtEpoch - INVITATION_INTERVAL + 1 } },
          { invitedFor: { is: invitedFor } },
        ],
      ],
    },
    onRefused,
  );
}
