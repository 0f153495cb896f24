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
 * Unsubscribe links of emails (RFC 8058). A link turns off one kind of emails for one login in one account, without signing in. Each
 * login has a separate signing key in each account, which signs nothing else, so a link allows nothing else.
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

/** Returns the link that turns off a kind of emails. */
export function unsubscribeUrl(publicUrl: string, { accountId, subject, kind }: Subscription, key: string): string {
  const parts = [accountId, subject, kind].map(encode).join('.');
  return `${publicUrl}/hooks/mail/unsubscribe/${parts}.${signatureOf(parts, key)}`;
}

const invalidLink = () =>
  new ApiError('unauthorized', 'This link is not valid. Change your notification settings in the dashboard.');

/** Verifies a link. Throws 401 for a link that the platform did not create. */
export async function verifyUnsubscribe(
  deps: Pick<Deps, 'table'>,
  { token }: Input<typeof UnsubscribeRoute>,
): Promise<Subscription & { isOff: boolean }> {
  const [accountId, subject, name, signature = ''] = token.split('.');
  const key = { accountId: decode(accountId), subject: decode(subject) };
  const kind = NOTIFICATION_KIND_NAMES.find((candidate) => candidate === decode(name));
  const reader = await deps.table.get(NotificationReader, key);
  if (!kind || !reader?.unsubscribeKey) throw invalidLink();
  const expected = Buffer.from(signatureOf([accountId, subject, name].join('.'), reader.unsubscribeKey));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw invalidLink();
  return { ...key, kind, isOff: reader.offByMail?.includes(kind) ?? false };
}

interface Page {
  status: number;
  output: string;
}

/** Returns a page that names the kind and the account, because the reader may be a member of several accounts. */
const page = (kind: NotificationKind, account: Pick<Account, 'name'> | undefined, text: string, form = ''): Page => ({
  status: 200,
  output: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Email notifications</title></head><body style="font-family:sans-serif;max-width:40em;margin:2em auto;padding:0 1em">
<h1>Email notifications</h1><p>${NOTIFICATION_KINDS[kind].label}</p>${account ? `<p>Account: ${html(account.name)}</p>` : ''}<p>${text}</p>${form}</body></html>`,
});

/** Returns the confirmation page. Opening a link changes nothing, because email scanners open links. */
export const showUnsubscribe = async (
  { table }: Pick<Deps, 'table'>,
  { accountId, kind }: Subscription,
): Promise<Page> =>
  page(
    kind,
    await table.get(Account, { id: accountId }),
    'Stop emails of this kind? The dashboard still shows these notifications.',
    '<form method="post"><button type="submit">Stop these emails</button></form>',
  );

/** Turns off the kind of emails. A repetition is not an error. */
export async function unsubscribe(
  deps: Pick<Deps, 'table'>,
  { accountId, subject, kind, isOff }: Subscription & { isOff: boolean },
): Promise<Page> {
  // Appends, so that two concurrent links turn off both kinds.
  const off = change(NotificationReader, { accountId, subject }, { append: { offByMail: [kind] } });
  if (!isOff) await deps.table.write(NotificationReader, off);
  const account = await deps.table.get(Account, { id: accountId });
  return page(
    kind,
    account,
    'You will get no more emails of this kind. You can turn them on again in the dashboard, in the notification settings.',
  );
}
