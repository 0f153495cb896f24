import { isDeepStrictEqual } from 'node:util';
import type { Attribute, Item } from '../table/attributes.ts';

type Scalar = string | number | boolean | null;

/** A condition on one field that a plain value cannot express: {@link present}, {@link not}, {@link above}. */
export class Test<V> {
  readonly holds: (value: unknown) => boolean;
  readonly operand: V | undefined;

  constructor(holds: (value: unknown) => boolean, operand?: V) {
    this.holds = holds;
    this.operand = operand;
  }
}

/** Holds for a field that has a value. */
export const present = new Test<never>((value) => value !== undefined);
/** Holds for a field that has another value, or none. */
export const not = <V extends Scalar>(operand: V) => new Test<V>((value) => value !== operand, operand);
/** Holds for a number greater than this one. */
export const above = (operand: number) =>
  new Test<number>((value) => typeof value === 'number' && value > operand, operand);

type Expected<V> = [V] extends [Scalar] ? V | Test<V> : Test<never> | (V extends readonly unknown[] ? never : Where<V>);

/**
 * Fields that an item must have, as data: the value of each, `undefined` for a field that is absent, a {@link Test}, or the
 * fields of an object inside the item.
 */
export type Where<T> = {
  readonly [Name in keyof T]?: Expected<NonNullable<T[Name]>> | (T[Name] & (null | undefined));
};

type Name<T> = T extends Scalar | undefined | readonly unknown[] ? never : keyof T & string;
/** The name of a field, or of a field of an object inside the item: `customDomain.token`. */
export type Path<T> = Name<T> | { [N in Name<T>]: `${N}.${Name<NonNullable<T[N]>>}` }[Name<T>];

/** The changes that a rule wants, as data. All conditions given must hold. */
export interface Trigger {
  readonly events: readonly ('INSERT' | 'MODIFY' | 'REMOVE')[];
  /** Pattern that the item matches after the change. */
  readonly after?: object;
  /** Pattern that the item matched before the change. */
  readonly before?: object;
  /** Pattern that the item did not match before the change. */
  readonly unlessBefore?: object;
  /** A field that has a value now, and had none or another before. */
  readonly sets?: string;
  /** Fields of which at least one differs. */
  readonly changes?: readonly string[];
}

/** The part of a stream's record that triggers look at. */
export interface Images {
  readonly eventName: string | undefined;
  readonly after: Item | undefined;
  readonly before: Item | undefined;
}

const attributeAt = (image: Item | undefined, path: string): Attribute | undefined => {
  let at: Attribute | undefined;
  let fields = image;
  for (const name of path.split('.')) {
    at = fields?.[name];
    fields = at && 'M' in at ? at.M : undefined;
  }
  return at;
};

/** The value of a scalar. A list or a map stands for itself: it is present, and equals no scalar. */
function scalarOf(attribute: Attribute | undefined): unknown {
  if (!attribute) return undefined;
  if ('S' in attribute) return attribute.S;
  if ('N' in attribute) return Number(attribute.N);
  if ('BOOL' in attribute) return attribute.BOOL;
  return 'NULL' in attribute ? null : attribute;
}

function matches(where: object, image: Item | undefined): boolean {
  return Object.entries(where).every(([name, expected]) => {
    const attribute = image?.[name];
    if (expected instanceof Test) return expected.holds(scalarOf(attribute));
    if (typeof expected === 'object' && expected !== null) {
      return attribute !== undefined && 'M' in attribute && matches(expected, attribute.M);
    }
    return scalarOf(attribute) === expected;
  });
}

const differs = ({ after, before }: Images, path: string): boolean =>
  !isDeepStrictEqual(attributeAt(after, path), attributeAt(before, path));

/** Tells whether a trigger wants a change, from the stored attributes. Parses nothing, and throws for no item. */
export function wants(trigger: Trigger, change: Images): boolean {
  const { events, after, before, unlessBefore, sets, changes } = trigger;
  return (
    events.some((name) => name === change.eventName) &&
    (!after || matches(after, change.after)) &&
    (!before || matches(before, change.before)) &&
    (!unlessBefore || !change.before || !matches(unlessBefore, change.before)) &&
    (!sets || (attributeAt(change.after, sets) !== undefined && differs(change, sets))) &&
    (!changes || changes.some((path) => differs(change, path)))
  );
}
