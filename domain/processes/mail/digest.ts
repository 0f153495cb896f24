import {
  MAIL_WINDOW_MINUTES,
  NOTIFICATION_KINDS,
  type NotificationKind,
} from '../../../contract/accounts/notifications.ts';
import { entryOf } from '../../../contract/enums.ts';
import { hasRight } from '../../../contract/roles.ts';
import type { Mailer } from '../../../providers/mail/mailer.ts';
import type { JobQueue } from '../../../providers/queues/job-queue.ts';
import { Account, Login } from '../../../table/entities/accounts.ts';
import { Notification, NotificationReader, notificationsOf } from '../../../table/entities/notifications.ts';
import { unchanged } from '../../../table/expressions.ts';
import { upsert } from '../../../table/writes.ts';
import { readTeam } from '../../accounts/team.ts';
import { newUnsubscribeKey, unsubscribeUrl } from '../../accounts/unsubscribe.ts';
import { concurrentUpdate, ignoreConflict } from '../../conflict.ts';
import type { Deps } from '../../deps.ts';
import { DAY_MS, MINUTE_MS, timestampAfter, timestampBefore } from '../../time.ts';
import { renderDigest } from './messages.ts';

/**
 * Emails about notifications (docs/decisions/0066-emails.md). The first notification of a kind is sent immediately. Further ones within the
 * window wait in the queue and become one email at its end. The ids of the sent notifications are stored after the email is sent: a crash in
 * between sends them twice, but never loses them.
 */

export type MailDeps = Deps & { mailer: Mailer; mails: JobQueue };

const WINDOW_MS = MAIL_WINDOW_MINUTES * MINUTE_MS;
/** Time after which another job retries an email that was started and not finished, in milliseconds. */
const CLAIM_MS = 45_000;
/** The longest delay of a message of SQS, in seconds. */
const MAX_DELAY_S = 900;
/** Most notifications of one kind that an email counts; beyond it the email says "more than". */
const MAX_COUNTED = 200;
/** Most notifications of all kinds that are read for an email, and whose ids are kept. */
const MAX_READ = 1000;
/** Notifications read in one page: few accounts have more. */
const PAGE_SIZE = 200;

const idOf = ({ day, kind, subjectId }: Notification) => `${day}.${kind}.${subjectId}`;

/** Returns the right that a member needs for a kind; the owners' right for a kind that this version does not know. */
const rightFor = (kind: NotificationKind) => entryOf(NOTIFICATION_KINDS, kind)?.mailRight ?? 'manage';

/** Reads an account and the members who receive a kind; undefined for a deleted account. */
async function recipientsOf(deps: Pick<Deps, 'table'>, { accountId, kind }: Notification) {
  if (!(await deps.table.get(Account, { id: accountId }))) return undefined;
  const { account, members } = await readTeam(deps, accountId);
  return { account, members: members.filter(({ role }) => hasRight(role, rightFor(kind))) };
}

/** Hands over one job for each member who receives a notification. */
export async function announce(deps: MailDeps, notification: Notification): Promise<void> {
  const { accountId } = notification;
  const key = Notification.key(notification);
  const { members = [] } = (await recipientsOf(deps, notification)) ?? {};
  await deps.mails.send(members.map(({ subject: detail }) => ({ job: 'notification.mail', key, accountId, detail })));
}

/** Returns the first day whose notifications an email includes. */
const firstDay = (now: Date): string => timestampBefore(now, DAY_MS).slice(0, 10);

/** The time for which a queue keeps a job, in milliseconds (lib/stacks/hand-over.ts). */
const MAX_JOB_AGE_MS = 14 * DAY_MS;
/** Returns the first day about whose notifications there may still be jobs. */
const firstJobDay = (now: Date): string => timestampBefore(now, MAX_JOB_AGE_MS).slice(0, 10);

/**
 * Reads the notifications of a kind of the last day, or since the day of the notification, whose job may have waited for days; `isCut` is
 * true if the account has more notifications than are read.
 */
async function readRecent(deps: Pick<Deps, 'table' | 'now'>, { accountId, kind, day }: Notification) {
  const recentFrom = firstDay(deps.now());
  const from = day < recentFrom ? day : recentFrom;
  const recent: Notification[] = [];
  let read = 0;
  for await (const each of deps.table.newest(Notification, notificationsOf(accountId), { pageSize: PAGE_SIZE })) {
    if (each.day < from) break;
    if (read === MAX_READ) return { recent, isCut: true };
    read += 1;
    if (each.kind === kind) recent.push(each);
  }
  return { recent, isCut: false };
}

/** Drops the ids of notifications that are too old for another email, of all kinds, because one item holds all of them. */
const recentOnly = (mailed: NotificationReader['mailed'], now: Date): NonNullable<typeof mailed> =>
  Object.fromEntries(
    Object.entries(mailed ?? {}).map(([kind, { lastAt, sent }]) => [
      kind,
      // The last email may have been about older notifications, whose jobs may still be repeated.
      {
        lastAt,
        sent: sent.filter((id) => id >= (lastAt >= timestampBefore(now, DAY_MS) ? firstJobDay(now) : firstDay(now))),
      },
    ]),
  );

/** Reads the data for an email to a member; undefined if the member is to receive none. */
async function readRecipient(
  deps: MailDeps,
  notification: Notification,
  subject: string,
  reader: NotificationReader | undefined,
) {
  const { kind } = notification;
  const [recipients, login, { recent, isCut }] = await Promise.all([
    recipientsOf(deps, notification),
    deps.table.get(Login, { subject }),
    readRecent(deps, notification),
  ]);
  const member = recipients?.members.find((each) => each.subject === subject);
  const address = login?.email ?? member?.email;
  if (!recipients || !member || !address || reader?.offByMail?.includes(kind)) return undefined;
  const { sent, lastAt = '' } = reader?.mailed?.[kind] ?? {};
  const sentIds = new Set(sent);
  const isOwn = (each: Notification) => idOf(each) === idOf(notification);
  const isOld = ({ day }: Notification) => day < firstDay(deps.now());
  // Within a day the list is sorted by subject: a notification since the last email may lie beyond the ones that were read.
  const isUnread = (notification.at >= lastAt || isOld(notification)) && !recent.some(isOwn);
  const found = isUnread ? [notification, ...recent] : recent;
  // Old notifications were part of an earlier email, except those since the last one and the one whose job has waited until now.
  const isIncluded = (each: Notification) => !isOld(each) || each.at >= lastAt || isOwn(each);
  const pending = found
    .filter((each) => !sentIds.has(idOf(each)) && isIncluded(each))
    .toSorted((a, b) => b.at.localeCompare(a.at));
  // Jobs of further notifications beyond the ones that were read end after this email.
  const hasMore = isCut || pending.length > MAX_COUNTED;
  return { address, account: recipients.account, found, pending: pending.slice(0, MAX_COUNTED), hasMore };
}

/** Returns the seconds until the next email of a kind may be sent to a member; 0 if it may be sent now. */
function secondsToWait(reader: NotificationReader | undefined, kind: NotificationKind, now: Date): number {
  const lastAt = reader?.mailed?.[kind]?.lastAt;
  const until = Math.max(
    lastAt === undefined ? 0 : Date.parse(lastAt) + WINDOW_MS,
    reader?.mailClaimedUntil === undefined ? 0 : Date.parse(reader.mailClaimedUntil),
  );
  return Math.max(0, Math.ceil((until - now.getTime()) / 1000));
}

/** Returns the write of a member's email state. It fails if another email was started since the state was read. */
function writeReader(
  { accountId, subject }: NotificationReader,
  read: number | undefined,
  update: { set: Partial<NotificationReader>; remove?: 'mailClaimedUntil'[] },
) {
  const key = { accountId, subject };
  const when = { mailVersion: unchanged(read) };
  const set = { ...key, ...update.set };
  return upsert(NotificationReader, key, { ...update, set, when }, concurrentUpdate);
}

/** Sends a member one email about all unsent notifications of a kind, or requeues the job until the end of the window. */
export async function mailDigest(deps: MailDeps, notification: Notification, subject: string): Promise<void> {
  const { accountId, kind } = notification;
  const stored = await deps.table.get(NotificationReader, { accountId, subject });
  const now = deps.now();
  if (stored?.mailed?.[kind]?.sent.includes(idOf(notification))) return;
  const seconds = secondsToWait(stored, kind, now);
  const requeue = () => {
    const job = { job: 'notification.mail', key: Notification.key(notification), accountId, detail: subject };
    return deps.mails.send([job], Math.min(MAX_DELAY_S, seconds));
  };
  // A notification that is newer than the last email was not part of it. It waits after a single read: there may be hundreds of them.
  if (seconds > 0 && notification.at >= (stored?.mailed?.[kind]?.lastAt ?? '')) return await requeue();
  const recipient = await readRecipient(deps, notification, subject, stored);
  if (!recipient || recipient.pending.length === 0) return;
  if (seconds > 0) return await requeue();
  const { address, account, found, pending, hasMore } = recipient;
  const reader = stored ?? { accountId, subject };
  const claimed = {
    mailed: reader.mailed ?? {},
    unsubscribeKey: reader.unsubscribeKey ?? newUnsubscribeKey(),
    mailVersion: (reader.mailVersion ?? 0) + 1,
  };
  const mailClaimedUntil = timestampAfter(now, CLAIM_MS);
  const claim = writeReader(reader, reader.mailVersion, { set: { ...claimed, mailClaimedUntil } });
  await deps.table.write(NotificationReader, claim);
  try {
    const { publicUrl } = deps.settings;
    const url = unsubscribeUrl(publicUrl, { accountId, subject, kind }, claimed.unsubscribeKey);
    const label = entryOf(NOTIFICATION_KINDS, kind)?.label ?? 'Notifications';
    const urls = { dashboardUrl: `${publicUrl}/dashboard`, unsubscribeUrl: url };
    await deps.mailer.send({ to: address, login: subject, ...renderDigest(label, pending, account, urls, hasMore) });
  } catch (error) {
    const release = writeReader(reader, claimed.mailVersion, { set: {}, remove: ['mailClaimedUntil'] });
    await ignoreConflict(deps.table.write(NotificationReader, release));
    throw error;
  }
  const remembered = recentOnly(claimed.mailed, now);
  const sent = [...new Set([...found.map(idOf), ...(remembered[kind]?.sent ?? [])])].slice(
    0,
    Math.max(found.length, MAX_READ),
  );
  const mailed = { ...remembered, [kind]: { lastAt: now.toISOString(), sent } };
  const done = writeReader(reader, claimed.mailVersion, { set: { mailed }, remove: ['mailClaimedUntil'] });
  await deps.table.write(NotificationReader, done);
}
