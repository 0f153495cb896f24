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
import { type Contents, contents, unread } from '../contents.ts';
import { foundUnder, inPartition, listed, one } from '../readers.ts';

/** Reads the account. */
export const account = one(Account, (id) => ({ id }));
/** The key of what an account has once. */
export const ofAccount = (accountId: string) => ({ accountId });
const apiKeys = listed(ApiKey, apiKeysOf);

/** Members and invitations, without what opens an invitation. */
const viewTeam = ({ members, invitations }: Team) => ({
  members,
  invitations: invitations.map(({ hash, mail, ...shown }) => ({ ...shown, emailedAt: mail?.sentAt })),
});

/** An account, who may use it, and its keys. */
export const ACCOUNT_CONTENTS: readonly Contents[] = [
  contents(
    Account,
    'tax',
    {
      file: 'account',
      shows: [
        ...([
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
        ] as const),
        ...(['buildMonth', 'buildMinutes', 'unpaidOrderCount', 'walletCents', 'frozenCents', 'newCardHolds'] as const),
        ...(['autoTopUp', 'autoTopUpHistory', 'createdAt', 'logins', 'suspension', 'planLimit', 'deletion'] as const),
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
    account,
  ),
  contents(
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
    foundUnder(account, Login, ({ logins = [] }) => logins.map((subject) => ({ subject }))),
  ),
  contents(
    Team,
    'removed',
    {
      file: 'members',
      shows: ['members', 'invitations'],
      omits: { accountId: 'elsewhere', version: 'internal' },
      view: viewTeam,
    },
    one(Team, ofAccount),
  ),
  contents(
    Notification,
    'removed',
    {
      file: 'notifications',
      shows: ['day', 'kind', 'subjectId', 'title', 'path', 'at'],
      omits: { accountId: 'elsewhere' },
    },
    inPartition(Notification, notificationsOf),
  ),
  contents(
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
    foundUnder(account, NotificationReader, ({ id, logins = [] }) =>
      logins.map((subject) => ({ accountId: id, subject })),
    ),
  ),
  contents(
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
    apiKeys,
  ),
  contents(
    Credential,
    'removed',
    'secret',
    foundUnder(apiKeys, Credential, ({ hashes }) => [{ hash: hashes.secret }, { hash: hashes.public }]),
  ),
  unread(AccountRate, 'stays', 'internal'),
  unread(DailyUsage, 'expires', 'brief'),
  unread(MailAddress, 'expires', 'platform'),
  unread(IdempotencyRecord, 'expires', 'brief'),
  unread(AnonymousClient, 'stays', 'platform'),
  contents(
    AccountDeletion,
    'tax',
    {
      file: 'deletion',
      shows: ['status', 'requestedAt', 'endsAt', 'refundCents', 'deletedAt'],
      omits: { accountId: 'elsewhere', removal: 'internal', dueAt: 'internal' },
    },
    one(AccountDeletion, ofAccount),
  ),
  contents(
    AccountExport,
    'removed',
    {
      file: 'exports',
      shows: ['id', 'status', 'sizeBytes', 'createdAt', 'finishedAt'],
      omits: { accountId: 'elsewhere', dueAt: 'internal' },
    },
    listed(AccountExport, exportsOf),
  ),
];
