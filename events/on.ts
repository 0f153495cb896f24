import type { Entity } from '../table/entity.ts';
import type { Path, Trigger, Where } from './trigger.ts';

/** A change as a rule's action sees it, beside the item. */
export interface Change<Before> {
  /** The id of the stream's record: the same each time the record is delivered. */
  readonly id: string;
  /** The item before the change. Parsed when it is first read; throws if it does not parse. */
  readonly before: Before;
}

/**
 * A rule of the stream: an entity, the changes of it that the rule wants, and the action that must follow each.
 *
 * An action runs at least once for each change, so it must be safe to repeat. If the item does not parse or the action
 * rejects, the other changes are still acted on; then the batch fails and is retried (consume.ts).
 */
export interface Rule<Result = unknown> {
  // `on` checks the types of an entity's rules; here the rules of all entities are alike.
  readonly entity: Pick<Entity<unknown, never>, 'type' | 'key' | 'schema' | 'parse'>;
  readonly trigger: Trigger;
  act(item: unknown, change: Change<unknown>): Promise<Result>;
  readonly groups?: Groups;
}

interface Groups {
  readonly size: number;
  act(parts: readonly unknown[]): Promise<unknown>;
}

/** Rules by id, `<area>.<verb-noun>`. Operators see the id in logs and in the error of a failed batch. */
export type Rules = Readonly<Record<`${string}.${string}`, Rule>>;

/** The action of a rule. Its item is the one after the change; for a removed item, the one before. */
type Act<T, R, Before = T | undefined> = (item: T, change: Change<Before>) => Promise<R>;
/** The last arguments of a rule. The fields to match are optional. */
type Last<T, R, Before = T | undefined> =
  | [where: Where<T>, act: Act<T, R, Before>]
  | [act: Act<T, R, Before>, none?: undefined];

/**
 * Starts a rule about an entity; the returned functions select the changes and take the action that must follow.
 *
 * A change that no rule wants is never parsed; one that several rules want is parsed once.
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
    // The entity parses a T, and the trigger's events decide whether there is an image before the change.
    act: (item, change) => act(item as T, change as Change<Before>),
  });
  const lastOf = <R, Before>([first, second]: Last<T, R, Before>) =>
    second ? { where: first as Where<T>, act: second } : { where: undefined, act: first as Act<T, R, Before> };

  return {
    /** Items that are created. */
    created<R>(...last: Last<T, R>): Rule<R> {
      const { where, act } = lastOf(last);
      return rule({ events: ['INSERT'], ...(where && { after: where }) }, act);
    },
    /** Items that are deleted or expire. The action gets the item as it was. */
    removed<R>(...last: Last<T, R, T>): Rule<R> {
      const { where, act } = lastOf(last);
      return rule({ events: ['REMOVE'], ...(where && { before: where }) }, act);
    },
    /** Items that match and did not before; newly created ones too. */
    becomes<R>(where: Where<T>, act: Act<T, R>): Rule<R> {
      return rule({ events: ['INSERT', 'MODIFY'], after: where, unlessBefore: where }, act);
    },
    /** Items in which this field gets a value or another value; newly created ones too. */
    sets<R>(field: Path<T>, ...last: Last<T, R>): Rule<R> {
      const { where, act } = lastOf(last);
      return rule({ events: ['INSERT', 'MODIFY'], sets: field, ...(where && { after: where }) }, act);
    },
    /** Existing items in which at least one of these fields gets, changes or loses its value. */
    changes<R>(fields: Path<T> | readonly Path<T>[], ...last: Last<T, R, T>): Rule<R> {
      const { where, act } = lastOf(last);
      const changes = typeof fields === 'string' ? [fields] : fields;
      return rule({ events: ['MODIFY'], changes, ...(where && { after: where }) }, act);
    },
    /** Existing items that matched `from` before the change and match `to` after it. */
    updated<R>({ from, to }: { from: Where<T>; to: Where<T> }, act: Act<T, R, T>): Rule<R> {
      return rule({ events: ['MODIFY'], before: from, after: to }, act);
    },
  };
}

/**
 * Makes a rule whose action returns several parts of each change act on them in groups: of at most `size` parts, gathered
 * over all changes of a batch.
 */
export const inGroups = <Part>(
  rule: Rule<readonly Part[]>,
  size: number,
  act: (parts: readonly Part[]) => Promise<unknown>,
): Rule => ({ ...rule, groups: { size, act: (parts) => act(parts as readonly Part[]) } });
