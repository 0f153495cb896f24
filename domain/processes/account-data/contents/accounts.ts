import { AccountDeletion, AccountExport, exportsOf } from '../../../../table/entities/account-data.ts';
import {
  Account,
  AccountRate,
  AnonymousClient,
  ApiKey,
  apiKeysOf,
  Credential,
  DailyUsage,
  IdempotencyRecord,
  Login,
} from '../../../../table/entities/accounts.ts';
import { MailAddress } from '../../../../table/entities/mail.ts';
import { Team } from '../../../../table/entities/members.ts';
import { Notification, NotificationReader, notificationsOf } from '../../../../table/entities/notifications.ts';
import { type Contents, defineContents, defineUnread } from '../contents.ts';
import { itemReader, keyedReader, listReader, partitionReader } from '../item-readers.ts';

export const readAccount = itemReader(Account, (id) => ({ id }));
/** Returns the key of an entity of which an account has one item. */
export const accountKeyOf = (accountId: string) => ({ accountId });
export const readApiKeys = listReader(ApiKey, apiKeysOf);

/** Returns the members and invitations without the secrets of the invitations' links. */
const viewTeam = ({ members, invitations }: Team) => ({
  members,
  invitations: invitations.map(({ hash, mail, ...shown }) => ({ ...shown, emailedAt: mail?.sentAt })),
});

/** Contents of an account: its data, logins, members, notifications and keys. */
export const ACCOUNT_CONTENTS: readonly Contents[] = [
  defineContents(
    Account,
    'tax',
    {
      file: 'account',
      shows: [
        'id',
        'email',
        'name',
        'plan',
        'limits',
        'appCount',
        'webhookCount',
        'keyCount',
        'databaseCount',
        'databaseMib',
        'databaseMonth',
        'databaseUnits',
        'buildMonth',
        'buildMinutes',
        'unpaidOrderCount',
        'walletCents',
        'frozenCents',
        'newCardHolds',
        'autoTopUp',
        'autoTopUpHistory',
        'createdAt',
        'logins',
        'suspension',
        'planLimit',
        'deletion',
      ],
      omits: {
        card: 'secret',
        walletVersion: 'internal',
        autoTopUpId: 'internal',
        autoTopUpCount: 'internal',
        noAutoTopUpBefore: 'internal',
        suspensionVersion: 'internal',
        resumedAt: 'internal',
        reapplyAt: 'internal',
        buildCount: 'internal',
        planLimitVersion: 'internal',
        topUpAt: 'internal',
        dueAt: 'internal',
        exportId: 'internal',
        expiresAtEpoch: 'internal',
      },
    },
    readAccount,
  ),
  defineContents(
    Login,
    'teardown',
    {
      file: 'logins',
      shows: ['subject', 'accountId', 'email', 'name', 'role', 'suspended', 'closesAt'],
      omits: {
        accountName: 'elsewhere',
        memberships: 'elsewhere',
        membershipsVersion: 'internal',
        listed: 'internal',
        endedSessions: 'internal',
        endedSessionsVersion: 'internal',
      },
    },
    keyedReader(readAccount, Login, ({ logins = [] }) => logins.map((subject) => ({ subject }))),
  ),
  defineContents(
    Team,
    'removed',
    {
      file: 'members',
      shows: ['members', 'invitations'],
      omits: { accountId: 'elsewhere', version: 'internal' },
      view: viewTeam,
    },
    itemReader(Team, accountKeyOf),
  ),
  defineContents(
    Notification,
    'removed',
    {
      file: 'notifications',
      shows: ['day', 'kind', 'subjectId', 'title', 'path', 'at'],
      omits: { accountId: 'elsewhere' },
    },
    partitionReader(Notification, notificationsOf),
  ),
  defineContents(
    NotificationReader,
    'removed',
    {
      file: 'notification-settings',
      shows: ['subject', 'readUntil', 'off', 'offByMail', 'mailed'],
      omits: {
        accountId: 'elsewhere',
        unsubscribeKey: 'secret',
        mailVersion: 'internal',
        mailClaimedUntil: 'internal',
      },
    },
    keyedReader(readAccount, NotificationReader, ({ id, logins = [] }) =>
      logins.map((subject) => ({ accountId: id, subject })),
    ),
  ),
  defineContents(
    ApiKey,
    'removed',
    {
      file: 'api-keys',
      shows: [
        'id',
        'name',
        'scopes',
        'allowedOrigins',
        'expiresAt',
        'revokedAt',
        'createdAt',
        'publicKey',
        'createdBy',
        'lastFour',
        'aiBudgetMicroRand',
        'suspension',
      ],
      omits: { accountId: 'elsewhere', hashes: 'secret', prefixes: 'secret' },
    },
    readApiKeys,
  ),
  defineContents(
    Credential,
    'removed',
    'secret',
    keyedReader(readApiKeys, Credential, ({ hashes }) => [{ hash: hashes.secret }, { hash: hashes.public }]),
  ),
  defineUnread(AccountRate, 'stays', 'internal'),
  defineUnread(DailyUsage, 'expires', 'brief'),
  defineUnread(MailAddress, 'expires', 'platform'),
  defineUnread(IdempotencyRecord, 'expires', 'brief'),
  defineUnread(AnonymousClient, 'stays', 'platform'),
  defineContents(
    AccountDeletion,
    'tax',
    {
      file: 'deletion',
      shows: ['status', 'requestedAt', 'endsAt', 'refundCents', 'deletedAt'],
      omits: { accountId: 'elsewhere', removal: 'internal', dueAt: 'internal' },
    },
    itemReader(AccountDeletion, accountKeyOf),
  ),
  defineContents(
    AccountExport,
    'removed',
    {
      file: 'exports',
      shows: ['id', 'status', 'sizeBytes', 'createdAt', 'finishedAt'],
      omits: { accountId: 'elsewhere', dueAt: 'internal' },
    },
    listReader(AccountExport, exportsOf),
  ),
];
