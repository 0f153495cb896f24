import type { Entity } from '../table/entity.ts';
import type { Path, Trigger, Where } from './trigger.ts';

/** The change that a rule's action receives together with the item. */
export interface Change<Before> {
  /** The id of the stream record. It stays the same when the record is redelivered. */
  readonly id: string;
  /** The item before the change. Parsed when it is first read; throws if it does not parse. */
  readonly before: Before;
}

/**
 * A stream rule: an entity, a trigger that selects its changes, and the action for each of them.
 *
 * An action runs at least once for each change, so it must be idempotent. If the item does not parse or the action rejects, the other
 * changes are still processed; then the batch fails and is retried (consume.ts).
 */
export interface Rule<Result = unknown> {
  // `on` checks the types of a rule. Here they are erased, so that rules of all entities have one type.
  readonly entity: Pick<Entity<unknown, never>, 'type' | 'key' | 'schema' | 'parse'>;
  readonly trigger: Trigger;
  act(item: unknown, change: Change<unknown>): Promise<Result>;
  /** Present if `act` returns parts, on which the grouping then acts. Rules with the same grouping share its groups. */
  readonly grouping?: Grouping;
}

/** The way to act on the parts that the actions of rules return: many in one call ({@link inGroups}). */
export interface Grouping {
  /** The maximum number of parts in one group. */
  readonly size: number;
  /** Acts on one group, or on its parts of one request. */
  act(parts: readonly unknown[]): Promise<unknown>;
}

/** Rules by id, `<area>.<verb-noun>`. Operators see the id in logs and in the error of a failed batch. */
export type Rules = Readonly<Record<`${string}.${string}`, Rule>>;

/** The action of a rule. It receives the item after the change or, if it was removed, before it. */
type Act<T, R, Before = T | undefined> = (item: T, change: Change<Before>) => Promise<R>;
/** The last arguments of a rule: the fields to match, which are optional, and the action. */
type Last<T, R, Before = T | undefined> =
  | [where: Where<T>, act: Act<T, R, Before>]
  | [act: Act<T, R, Before>, none?: undefined];

/**
 * Starts the definition of a rule about an entity. The returned functions take the conditions of the changes, and the action.
 *
 * A change that no rule matches is never parsed; a change that several rules match is parsed once.
 *
 * @example
 * export const billingRules = (deps: BillingDeps): Rules => ({
 *   'subscription.add-paid-period': on(Invoice).becomes({ kind: 'PLAN', status: 'PAID' }, (invoice) =>
 *     addPaidPeriod(deps, invoice),
 *   ),
 * });
 */
export function on<T, K>(entity: Entity<T, K>) {
  const rule = <R, Before>(trigger: Trigger, act: Act<T, R, Before>): Rule<R> => ({
    entity,
    trigger,
    // The entity parses a T, and the trigger's events determine whether there is an image before the change.
    act: (item, change) => act(item as T, change as Change<Before>),
  });
  const lastOf = <R, Before>([first, second]: Last<T, R, Before>) =>
    second ? { where: first as Where<T>, act: second } : { where: undefined, act: first as Act<T, R, Before> };

  return {
    /** Matches created items. */
    created<R>(...last: Last<T, R>): Rule<R> {
      const { where, act } = lastOf(last);
      return rule({ events: ['INSERT'], ...(where && { after: where }) }, act);
    },
    /** Matches items that are deleted or expire. The action receives the item before that. */
    removed<R>(...last: Last<T, R, T>): Rule<R> {
      const { where, act } = lastOf(last);
      return rule({ events: ['REMOVE'], ...(where && { before: where }) }, act);
    },
    /** Matches items that meet a condition and did not before, including created ones. */
    becomes<R>(where: Where<T>, act: Act<T, R>): Rule<R> {
      return rule({ events: ['INSERT', 'MODIFY'], after: where, unlessBefore: where }, act);
    },
    /** Matches items in which a field gets a new value, including created ones. */
    sets<R>(field: Path<T>, ...last: Last<T, R>): Rule<R> {
      const { where, act } = lastOf(last);
      return rule({ events: ['INSERT', 'MODIFY'], sets: field, ...(where && { after: where }) }, act);
    },
    /** Matches existing items in which at least one of the fields gets, changes or loses its value. */
    changes<R>(fields: Path<T> | readonly Path<T>[], ...last: Last<T, R, T>): Rule<R> {
      const { where, act } = lastOf(last);
      const changes = typeof fields === 'string' ? [fields] : fields;
      return rule({ events: ['MODIFY'], changes, ...(where && { after: where }) }, act);
    },
    /** Matches existing items that matched `from` before the change and match `to` after it. */
    updated<R>({ from, to }: { from: Where<T>; to: Where<T> }, act: Act<T, R, T>): Rule<R> {
      return rule({ events: ['MODIFY'], before: from, after: to }, act);
    },
  };
}

/**
 * Returns a function that extends rules whose actions return parts, any number for each change. `act` then receives the parts of all
 * changes of a batch and of all extended rules, in groups of at most `size`. For effects that are cheaper together, such as messages of
 * which one call to a queue sends ten.
 */
export function inGroups<Part>(
  size: number,
  act: (parts: readonly Part[]) => Promise<unknown>,
): (rule: Rule<readonly Part[]>) => Rule {
  const grouping: Grouping = { size, act: (parts) => act(parts as readonly Part[]) };
  return (rule) => ({ ...rule, grouping });
}
