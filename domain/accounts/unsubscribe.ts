import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  NOTIFICATION_KIND_NAMES,
  NOTIFICATION_KINDS,
  type NotificationKind,
} from '../../contract/accounts/notifications.ts';
import type { unsubscribe as UnsubscribeRoute } from '../../contract/accounts/unsubscribe.ts';
import { ApiError } from '../../contract/errors.ts';
import { html } from '../../contract/reference/html.ts';
import type { Input } from '../../contract/route.ts';
import { Account } from '../../table/entities/accounts.ts';
import { NotificationReader } from '../../table/entities/notifications.ts';
import { change } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';

/**
 * Links of emails that switch their kind off, for one login in one account, without signing in (RFC 8058). Each login has a key of
 * its own in each account, which signs nothing else: a link can do nothing else.
 */

interface Subscription {
  accountId: string;
  subject: string;
  kind: NotificationKind;
}

export const newUnsubscribeKey = (): string => randomBytes(24).toString('base64url');

const signatureOf = (parts: string, key: string): string => createHmac('sha256', key).update(parts).digest('base64url');
const encode = (text: string) => Buffer.from(text).toString('base64url');
const decode = (text = '') => Buffer.from(text, 'base64url').toString('utf8');

/** Returns the link that switches a kind off. */
export function unsubscribeUrl(publicUrl: string, { accountId, subject, kind }: Subscription, key: string): string {
  const parts = [accountId, subject, kind].map(encode).join('.');
  return `${publicUrl}/hooks/mail/unsubscribe/${parts}.${signatureOf(parts, key)}`;
}

const invalidLink = () =>
  new ApiError('unauthorized', 'This link is not valid. Change your notifications in the dashboard.');

/** Verifies a link. Throws 401 for a link that the platform did not send. */
export async function verifyUnsubscribe(
  deps: Pick<Deps, 'table'>,
  { token }: Input<typeof UnsubscribeRoute>,
): Promise<Subscription & { isOff: boolean }> {
  const [accountId, subject, name, signature = ''] = token.split('.');
  const of = { accountId: decode(accountId), subject: decode(subject) };
  const kind = NOTIFICATION_KIND_NAMES.find((each) => each === decode(name));
  const reader = await deps.table.get(NotificationReader, of);
  if (!kind || !reader?.unsubscribeKey) throw invalidLink();
  const expected = Buffer.from(signatureOf([accountId, subject, name].join('.'), reader.unsubscribeKey));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw invalidLink();
  return { ...of, kind, isOff: reader.offByMail?.includes(kind) ?? false };
}

interface Page {
  status: number;
  output: string;
}

/** Returns a page that names the kind and the account: the reader may be a member of several. */
const page = (kind: NotificationKind, account: Pick<Account, 'name'> | undefined, text: string, form = ''): Page => ({
  status: 200,
  output: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Email notifications</title></head><body style="font-family:sans-serif;max-width:40em;margin:2em auto;padding:0 1em">
<h1>Email notifications</h1><p>${NOTIFICATION_KINDS[kind]}</p>${account ? `<p>Account: ${html(account.name)}</p>` : ''}<p>${text}</p>${form}</body></html>`,
});

/** Shows what the link switches off. Scanners of emails open links, so opening one changes nothing. */
export const showUnsubscribe = async (
  { table }: Pick<Deps, 'table'>,
  { accountId, kind }: Subscription,
): Promise<Page> =>
  page(
    kind,
    await table.get(Account, { id: accountId }),
    'Stop emails of this kind? They stay in the dashboard.',
    '<form method="post"><button type="submit">Stop these emails</button></form>',
  );

/** Switches the kind off; again is no error. */
export async function unsubscribe(
  deps: Pick<Deps, 'table'>,
  { accountId, subject, kind, isOff }: Subscription & { isOff: boolean },
): Promise<Page> {
  const of = { accountId, subject };
  // Appended, so that two links at the same moment switch off both kinds.
  const off = change(NotificationReader, of, { append: { offByMail: [kind] } });
  if (!isOff) await deps.table.write(NotificationReader, off);
  const account = await deps.table.get(Account, { id: accountId });
  return page(
    kind,
    account,
    'You get no more emails of this kind. The settings in the dashboard switch them on again.',
  );
}
