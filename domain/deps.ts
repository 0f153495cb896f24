import type { Table } from '../table/table.ts';
import type { Write } from '../table/writes.ts';

/** What every domain function may use. Time and ids arrive from outside, so that tests decide them. */
export interface Deps {
  table: Table;
  /** The time as it is at the call, never at the start of the process. */
  now(): Date;
  /** A new id: the prefix, then characters that sort by time. */
  newId(prefix: string): string;
  settings: Settings;
  /**
   * Writes all or nothing and answers with `output`. A request's one commit: with an `Idempotency-Key` the answer is
   * remembered in the same transaction.
   */
  commit<T>(writes: readonly Write[], output: T): Promise<T>;
}

export interface Settings {
  publicUrl: string;
  /** Applications answer at `<slug>.<appsDomain>`. */
  appsDomain: string;
  /** The ARN of an application's function: also what its variables are sealed under. */
  hostArnOf(applicationId: string): string;
  /** Whether webhooks may go to this machine itself, over plain http too. */
  allowLocalWebhooks: boolean;
  /** Whether repositories may be on this machine itself. */
  allowLocalRepositories: boolean;
  /** Seconds from each failed attempt at a delivery to the next: one fewer than there are attempts. */
  webhookRetrySchedule: readonly number[];
}

/** Who calls: the account behind the key, or behind the login. */
export interface Caller {
  accountId: string;
  /** Empty for a login. */
  keyId: string;
  /** Whether a person called, from the dashboard. */
  login?: true;
}
