import { isDeepStrictEqual } from 'node:util';
import { AUDIT_ACTIONS, type AuditAction } from '../../contract/audit/actions.ts';
import type { AuditActor } from '../../contract/audit/entry.ts';
import { memberOf } from '../../contract/json.ts';
import { AuditEntry } from '../../table/entities/audit.ts';
import { create, type Write } from '../../table/writes.ts';
import type { AuditedChange, Deps } from '../deps.ts';

/** The origin of a change: its actor and its request. */
export interface ChangeOrigin {
  actor: { kind: AuditActor; id: string | null; name?: string };
  address: string | null;
  requestId: string | null;
  /** The reason that the operator gave. */
  reason?: string;
  /** The action that the request's route declares. The request's commit is recorded as this action. */
  request?: { action: AuditAction; accountId: string; subjectId: string | undefined };
}

/** Origin of changes by the platform: schedules, workflows and the stream. */
export const BY_PLATFORM: ChangeOrigin = { actor: { kind: 'PLATFORM', id: null }, address: null, requestId: null };
/** Origin of an operator's manual changes with AWS credentials, whose owner the platform does not know (docs/deploying.md, 10). */
export const BY_OPERATOR: ChangeOrigin = { actor: { kind: 'OPERATOR', id: null }, address: null, requestId: null };

/** Replaces the account id in entries about resources of no account: prices, servers, quarantined items. */
export const NO_ACCOUNT = 'platform';

type Values = Record<string, unknown>;

/** Longer values (as JSON) are recorded as their length only: an entry must never be so large that its transaction fails. */
const MAX_VALUE_LENGTH = 32_768;

/** Returns a value as plain JSON data, which DynamoDB can store. */
function toPlain(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.length} characters` : JSON.parse(text);
}

/** Returns the named fields that an object has; null if it has none of them. */
function pick(names: readonly string[], from: object | undefined): Values | null {
  const fields = names.flatMap((name) => {
    const value: unknown = from && Reflect.get(from, name);
    return value === undefined ? [] : [[name, toPlain(value)] as const];
  });
  return fields.length > 0 ? Object.fromEntries(fields) : null;
}

/** Returns both sides without the fields that are equal. */
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
 * Returns the writes of the audit log for one commit: one entry if the request's route or the change names an action, otherwise
 * none.
 */
function entryWrites(
  deps: Pick<Deps, 'now' | 'newId'>,
  { actor, address, requestId, request, reason }: ChangeOrigin,
  change: AuditedChange | undefined,
  output: unknown,
): Write[] {
  const action = request?.action ?? change?.action;
  // A change may belong to another account than the caller's, such as an accepted invitation.
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
 * Returns a `commit` function for changes of this origin. It writes the audit entry in the same transaction as the change.
 */
export const committing =
  (deps: Pick<Deps, 'table' | 'now' | 'newId'>, origin: ChangeOrigin): Deps['commit'] =>
  async (writes, output, change) => {
    await deps.table.transact([...writes, ...entryWrites(deps, origin, change, output)]);
    return output;
  };

/** Commits a change of the platform's within any request. The audit entry names the platform as the actor. */
export const commitAsPlatform = <T>(
  deps: Pick<Deps, 'table' | 'now' | 'newId'>,
  writes: readonly Write[],
  output: T,
  change: AuditedChange,
): Promise<T> => committing(deps, BY_PLATFORM)(writes, output, change);
