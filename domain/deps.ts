import type { AuditAction } from '../contract/audit/actions.ts';
import type { MemberRole } from '../contract/roles.ts';
import type { Profile } from '../providers/login/profiles.ts';
import type { Table } from '../table/table.ts';
import type { Write } from '../table/writes.ts';

/** Dependencies of every domain function. Time and ids are passed in, so that tests control them. */
export interface Deps {
  table: Table;
  /** Returns the current time. A function and not a value, because a warm Lambda would keep an old time. */
  now(): Date;
  /** Creates an id: the prefix, then characters that sort by time. */
  newId(prefix: string): string;
  settings: Settings;
  /**
   * Writes all or nothing and returns `output`. A request commits once: the same transaction stores the response under the
   * request's `Idempotency-Key`, if it has one, and the entry of the audit log (domain/audit/record.ts).
   *
   * @param change content of the audit entry. Without it, a request's entry shows the resource of its response, and a change
   * that was not requested leaves no entry.
   */
  commit<T>(writes: readonly Write[], output: T, change?: AuditedChange): Promise<T>;
}

/** A change as the audit log records it. The log keeps only the fields of `before` and `after` that contract/audit/actions.ts names. */
export interface AuditedChange {
  /** Required for a change that may happen without a request; a request's action is the one of its route. */
  action?: AuditAction;
  accountId?: string;
  /** The id of the changed resource; the id in the response, or in the request's path, unless given. */
  subjectId?: string;
  before?: object;
  after?: object;
}

export interface Settings {
  publicUrl: string;
  /** Applications answer at `<slug>.<appsDomain>`. */
  appsDomain: string;
  /** Returns the ARN of an application's function, which is also the encryption context of its variables. */
  hostArnOf(applicationId: string): string;
  /** True on the local run: webhooks may be sent to the local machine, also over plain HTTP. */
  allowLocalWebhooks: boolean;
  /** True on the local run: repositories may be on the local machine. */
  allowLocalRepositories: boolean;
  /** Seconds from each failed attempt at a delivery to the next. It has one entry fewer than there are attempts. */
  webhookRetrySchedule: readonly number[];
  /** AI calls that one account may have open, if this installation supports fewer than the usual limit. */
  aiCallsPerAccount?: number | undefined;
  /** Sender of emails; undefined if the installation sends none, and in functions that do not have the setting. */
  mailFrom?: string | undefined;
}

/** The caller: the account behind the key or login. */
export interface Caller {
  accountId: string;
  /** Empty for a login. */
  keyId: string;
  /** Monthly budget of the key for AI credits, in micro-rand; absent without one. */
  aiBudgetMicroRand?: number;
  /** True when a person called from the dashboard. */
  login?: true;
  /** The session of the login. */
  session?: Session;
  /** True if the request of a login names this account; otherwise it is the login's own account. */
  isNamed?: true;
  /** The role of the login in this account. */
  role?: MemberRole;
  /** The email address of the login; absent for logins that predate its storage. */
  email?: string;
}

/** A person's session, from sign-in to sign-out. */
export interface Session {
  /** The issuer's id of the person. */
  subject: string;
  /** Identifies the session among the person's sessions (domain/accounts/sessions.ts). */
  key: string;
  /** Unix time at which the access token expires. */
  expiresAtEpoch: number;
  /** Unix time of the sign-in; absent if the issuer does not report it. */
  signedInAtEpoch?: number;
  /** True for an operator of the platform. */
  isOperator?: true;
  /** Reads the person's profile from the issuer. Throws 401 if the issuer has ended the session, 503 if it cannot be reached. */
  readProfile(): Promise<Profile>;
}
