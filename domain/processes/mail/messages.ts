import type { Mail } from '../../../providers/mail/mailer.ts';
import type { Notification } from '../../../table/entities/notifications.ts';

/** Texts of emails: plain text and HTML with the same content, without images, and without anything that tracks the reader. */

/** Notifications that an email lists; of more it gives the number. */
const MAX_LISTED = 10;
const NEWEST = 'The dashboard lists the newest.';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
/** Returns text for a header: on one line. */
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
      url === undefined ? `<p>${escapeHtml(text)}</p>` : `<p><a href="${escapeHtml(url)}">${escapeHtml(text)}</a></p>`,
    ),
    '</body></html>',
  ].join('\n');

type Content = Pick<Mail, 'subject' | 'text' | 'html'>;

/** Returns the first characters of a text. None is halved: half of a pair of surrogates is no Unicode, which mail servers refuse. */
export const truncate = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');

export const render = (subject: string, lines: readonly Line[]): Content => ({
  subject: truncate(oneLine(subject), 200),
  text: toText(lines),
  html: toHtml(lines),
});

/**
 * Returns an email about notifications of one kind.
 * @param label the kind, as settings name it
 * @param hasMore true where there are more notifications than these
 */
export function renderDigest(
  label: string,
  notifications: readonly Pick<Notification, 'title' | 'path'>[],
  { publicUrl, settingsUrl, unsubscribeUrl }: { publicUrl: string; settingsUrl: string; unsubscribeUrl: string },
  hasMore = false,
): Content & { unsubscribeUrl: string } {
  const [first] = notifications;
  const subject =
    notifications.length === 1 && !hasMore && first
      ? first.title.replace(/\.$/, '')
      : `${hasMore ? 'More than ' : ''}${notifications.length} × ${label}`;
  const listed = notifications.slice(0, MAX_LISTED);
  const more = notifications.length - listed.length;
  const lines: Line[] = [
    ...listed.map(({ title, path }) => ({ text: title, url: `${publicUrl}/dashboard${path}` })),
    ...(more > 0 ? [{ text: `And ${hasMore ? 'more than ' : ''}${more} more. ${NEWEST}` }] : []),
    ...(more === 0 && hasMore ? [{ text: `And more. ${NEWEST}` }] : []),
    { text: 'Choose what is sent to you', url: settingsUrl },
    { text: `Stop emails of this kind: ${label}`, url: unsubscribeUrl },
  ];
  return { ...render(subject, lines), unsubscribeUrl };
}
