import { isDeepStrictEqual } from 'node:util';
import { AUDIT_ACTIONS, type AuditAction } from '../../contract/audit/actions.ts';
import type { AuditActor } from '../../contract/audit/entry.ts';
import { memberOf } from '../../contract/json.ts';
import { AuditEntry } from '../../table/entities/audit.ts';
import { create, type Write } from '../../table/writes.ts';
import type { AuditedChange, Deps } from '../deps.ts';

/** The origin of a change: who makes it, and the request that it belongs to. */
export interface ChangeOrigin {
  actor: { kind: AuditActor; id: string | null; name?: string };
  address: string | null;
  requestId: string | null;
  /** The reason that an operator gives. */
  reason?: string;
  /** The action that the request's route declares, which everything that it commits is recorded as. */
  request?: { action: AuditAction; accountId: string; subjectId: string | undefined };
}

/** The platform itself: what schedules, workflows and the stream do. */
export const BY_PLATFORM: ChangeOrigin = { actor: { kind: 'PLATFORM', id: null }, address: null, requestId: null };
/** An operator who works by hand, with AWS credentials: the platform does not know whose (docs/deploying.md, 10). */
export const BY_OPERATOR: ChangeOrigin = { actor: { kind: 'OPERATOR', id: null }, address: null, requestId: null };

/** In place of an account's id in the entries of what belongs to no account: prices, servers, quarantined items. */
export const NO_ACCOUNT = 'platform';

type Values = Record<string, unknown>;

/** Values that are longer as JSON are kept as their length: an entry must never be too large for the change to happen. */
const MAX_VALUE_LENGTH = 32_768;

/** Returns plain data, as DynamoDB holds it. */
function toPlain(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.length} characters` : JSON.parse(text);
}

/** Returns the fields that the log keeps; null where there is none. */
function pick(shows: readonly string[], from: object | undefined): Values | null {
  const kept = shows.flatMap((name) => {
    const value: unknown = from && Reflect.get(from, name);
    return value === undefined ? [] : [[name, toPlain(value)] as const];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : null;
}

/** Returns both sides without the fields that are the same on both. */
function differences(before: Values | null, after: Values | null): { before: Values | null; after: Values | null } {
  if (!before || !after) return { before, after };
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );
  return { before: pick(changed, before), after: pick(changed, after) };
}

const idOf = (value: unknown): string | undefined => {
  const id = memberOf(value, 'id');
  return typeof id === 'string' ? id : undefined;
};

/** The resource that a response shows. */
const dataOf = (output: unknown): object | undefined => {
  const data = memberOf(output, 'data');
  return typeof data === 'object' && data !== null ? data : undefined;
};

/**
 * Returns the writes of the audit log for one commit: one entry where a request or the change itself says what was done, and
 * none otherwise.
 */
function entryWrites(
  deps: Pick<Deps, 'now' | 'newId'>,
  { actor, address, requestId, request, reason }: ChangeOrigin,
  change: AuditedChange | undefined,
  output: unknown,
): Write[] {
  const action = request?.action ?? change?.action;
  // A change may be of another account than the caller's: an accepted invitation.
  const accountId = change?.accountId ?? request?.accountId;
  if (action === undefined || accountId === undefined) return [];
  const shown: AuditedChange = change ?? { after: dataOf(output) ?? {} };
  const { shows } = AUDIT_ACTIONS[action];
  const entry: AuditEntry = {
    id: deps.newId('aud'),
    accountId,
    action,
    actor,
    address,
    requestId,
    ...(reason === undefined ? {} : { reason }),
    subjectId: shown.subjectId ?? idOf(dataOf(output)) ?? request?.subjectId ?? null,
    ...differences(pick(shows, shown.before), pick(shows, shown.after)),
    createdAt: deps.now().toISOString(),
  };
  return [create(AuditEntry, entry)];
}

/**
 * Returns the commit of these dependencies for changes of this origin: the entry of the audit log is written in the same
 * transaction as the change, or neither is.
 */
export const committing =
  (deps: Pick<Deps, 'table' | 'now' | 'newId'>, origin: ChangeOrigin): Deps['commit'] =>
  async (writes, output, change) => {
    await deps.table.transact([...writes, ...entryWrites(deps, origin, change, output)]);
    return output;
  };

/** Commits what the platform does whatever the request under way: the entry is the platform's. */
export const commitAsPlatform = <T>(
  deps: Pick<Deps, 'table' | 'now' | 'newId'>,
  writes: readonly Write[],
  output: T,
  change: AuditedChange,
): Promise<T> => committing(deps, BY_PLATFORM)(writes, output, change);
