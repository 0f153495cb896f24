import { html } from '../../../contract/reference/html.ts';
import { ACCOUNT_PARAMETER } from '../../../contract/roles.ts';
import { truncate } from '../../../contract/text.ts';
import type { Mail } from '../../../providers/mail/mailer.ts';
import type { Notification } from '../../../table/entities/notifications.ts';

/** Emails as plain text and HTML with the same content, without images and without tracking. */

/** Most notifications that an email lists; beyond it the email gives their number. */
const MAX_LISTED = 10;
const NEWEST = 'The dashboard lists the newest.';

/** Returns a text on one line, as a header requires. */
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

interface Line {
  text: string;
  url?: string;
}

const toText = (lines: readonly Line[]) =>
  `${lines.map(({ text, url }) => (url === undefined ? text : `${text}\n${url}`)).join('\n\n')}\n`;

const toHtml = (lines: readonly Line[]) =>
  [
    '<!doctype html><html lang="en"><body style="font-family:sans-serif;max-width:40em">',
    ...lines.map(({ text, url }) =>
      url === undefined ? `<p>${html(text)}</p>` : `<p><a href="${html(url)}">${html(text)}</a></p>`,
    ),
    '</body></html>',
  ].join('\n');

type Content = Pick<Mail, 'subject' | 'text' | 'html'>;

/** Most characters of an account's name in an email. */
const MAX_NAME_LENGTH = 60;

/**
 * Returns an account's name for an email: on one line, of limited length, and without characters that mail clients turn into links. It is
 * the only text in an invitation email that the inviting person can choose.
 */
export const shownName = (name: string): string =>
  truncate(
    name
      .normalize('NFKC')
      .replace(/[^\p{L}\p{M}\p{N}&'()+,\- ]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
    MAX_NAME_LENGTH,
  ).trim() || 'an account';

/** Renders an email as text and HTML. A subject of more than 200 characters is cut. */
export const render = (subject: string, lines: readonly Line[]): Content => ({
  subject: truncate(oneLine(subject), 200),
  text: toText(lines),
  html: toHtml(lines),
});

/**
 * Returns an email about notifications of one kind. It names the account, and its links open that account, because the reader may be a
 * member of several.
 * @param label the kind, as the settings name it
 * @param hasMore true if there are more notifications than these
 */
export function renderDigest(
  label: string,
  notifications: readonly Pick<Notification, 'title' | 'path'>[],
  account: { id: string; name: string },
  { dashboardUrl, unsubscribeUrl }: { dashboardUrl: string; unsubscribeUrl: string },
  hasMore = false,
): Content & { unsubscribeUrl: string } {
  const [first] = notifications;
  const subject =
    notifications.length === 1 && !hasMore && first
      ? first.title.replace(/\.$/, '')
      : `${hasMore ? 'More than ' : ''}${notifications.length} × ${label}`;
  const listed = notifications.slice(0, MAX_LISTED);
  const more = notifications.length - listed.length;
  const urlOf = (path: string) => `${dashboardUrl}${path}?${ACCOUNT_PARAMETER}=${account.id}`;
  const lines: Line[] = [
    ...listed.map(({ title, path }) => ({ text: title, url: urlOf(path) })),
    ...(more > 0 ? [{ text: `And ${hasMore ? 'more than ' : ''}${more} more. ${NEWEST}` }] : []),
    ...(more === 0 && hasMore ? [{ text: `And more. ${NEWEST}` }] : []),
    { text: `Account: ${shownName(account.name)}` },
    { text: 'Choose what is sent to you', url: urlOf('/settings/notifications') },
    { text: `Stop emails of this kind: ${label}`, url: unsubscribeUrl },
  ];
  return { ...render(subject, lines), unsubscribeUrl };
}
