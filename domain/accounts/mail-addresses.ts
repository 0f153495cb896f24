import { createHash } from 'node:crypto';
import { MailAddress } from '../../table/entities/mail.ts';
import { epoch } from '../../table/entity.ts';
import { upsert, type Write } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';

/** State of email addresses, stored by their hash (docs/decisions/0073-more-notifications.md). */

/** Minimum time between two invitations to one address, from any account, in seconds. */
const INVITATION_INTERVAL_S = 3600;

const keyOf = (address: string) => ({ hash: createHash('sha256').update(address.toLowerCase()).digest('hex') });

/** Reads the state of an address; undefined if it has none. */
export const readMailAddress = ({ table }: Pick<Deps, 'table'>, address: string): Promise<MailAddress | undefined> =>
  table.get(MailAddress, keyOf(address));

/** Returns true if an invitation may be sent to an address now. */
export const mayBeInvited = (known: MailAddress | undefined, now: Date): boolean =>
  (known?.invitedAtEpoch ?? 0) <= epoch(now) - INVITATION_INTERVAL_S;

/**
 * Returns the write that reserves an address for one invitation for an hour. It may be repeated for the same invitation.
 * @param onRefused creates the error if another invitation was sent within the hour
 */
export function reserveInvitation(address: string, invitedFor: string, now: Date, onRefused: () => Error): Write {
  const invitedAtEpoch = epoch(now);
  const item = { ...keyOf(address), at: now.toISOString(), invitedAtEpoch, invitedFor };
  return upsert(
    MailAddress,
    item,
    {
      set: { ...item, expiresAtEpoch: MailAddress.expiresAtEpoch?.(item) },
      whenAny: [
        [
          { invitedAtEpoch: 'absent' },
          { invitedAtEpoch: { below: invitedAtEpoch - INVITATION_INTERVAL_S + 1 } },
          { invitedFor: { is: invitedFor } },
        ],
      ],
    },
    onRefused,
  );
}
