import type { AuditAction } from '../contract/audit/actions.ts';
import type { MemberRole } from '../contract/roles.ts';
import type { Table } from '../table/table.ts';
import type { Write } from '../table/writes.ts';

/** Dependencies of every domain function. Time and ids are passed in, so that tests control them. */
export interface Deps {
  table: Table;
  /** The time as it is at the call, never at the start of the process. */
  now(): Date;
  /** A new id: the prefix, then characters that sort by time. */
  newId(prefix: string): string;
  settings: Settings;
  /**
   * Writes all or nothing and answers with `output`. A request's one commit: with an `Idempotency-Key` the answer is
   * remembered in the same transaction, and so is the entry of the audit log (domain/audit/record.ts).
   *
   * @param change what the entry says. Without it, a request's entry shows the resource that the answer shows, and a
   * change without a request leaves no entry.
   */
  commit<T>(writes: readonly Write[], output: T, change?: AuditedChange): Promise<T>;
}

/** A change as the audit log records it. Of `before` and `after` it keeps what contract/audit/actions.ts names. */
export interface AuditedChange {
  /** Required where it may not be a request's change: a request's is what its route says. */
  action?: AuditAction;
  accountId?: string;
  /** The id of what is changed; that of the answer, or of the request's path, unless given. */
  subjectId?: string;
  before?: object;
  after?: object;
}

export interface Settings {
  publicUrl: string;
  /** Applications answer at `<slug>.<appsDomain>`. */
  appsDomain: string;
  /** The ARN of an application's function: also what its variables are sealed under. */
  hostArnOf(applicationId: string): string;
  /** True on the local run: webhooks may be sent to the machine itself, over plain http too. */
  allowLocalWebhooks: boolean;
  /** True on the local run: repositories may be on the machine itself. */
  allowLocalRepositories: boolean;
  /** Seconds from each failed attempt at a delivery to the next: one fewer than there are attempts. */
  webhookRetrySchedule: readonly number[];
  /** AI calls that one account may have open where this installation has room for fewer than the usual limit. */
  aiCallsPerAccount?: number | undefined;
  /** Sender of emails; undefined where none are sent, and for functions that are not told. */
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
  /** True when the request of a login names this account, which is the login's own otherwise. */
  isNamed?: true;
  /** The role of the login in this account. */
  role?: MemberRole;
  /** The email address of the login; absent for logins from before it was kept. */
  email?: string;
}

/** The profile of a person who signed in, as the issuer reports it. */
export interface Profile {
  email: string;
  name: string;
  /** True if the issuer has verified that the address is the person's. */
  isVerified: boolean;
}

/** The session that one sign-in of a person began and that sign-out ends. */
export interface Session {
  /** The issuer's id of the person. */
  subject: string;
  /** Identifies the session among those of the person (domain/accounts/sessions.ts). */
  key: string;
  /** Unix time at which the access token expires. */
  expiresAtEpoch: number;
  /** Unix time of the sign-in; absent where the issuer does not say it. */
  signedInAtEpoch?: number;
  /** True for an operator of the platform. */
  isOperator?: true;
  /** Reads the person's profile from the issuer. Throws 401 if it has ended the session, 503 if it cannot be reached. */
  readProfile(): Promise<Profile>;
}
