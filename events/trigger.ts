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
/** Holds for a field that has another value, or no value. */
export const not = <V extends Scalar>(operand: V) => new Test<V>((value) => value !== operand, operand);
/** Holds for a number greater than this one. */
export const above = (operand: number) =>
  new Test<number>((value) => typeof value === 'number' && value > operand, operand);

type Expected<V> = [V] extends [Scalar] ? V | Test<V> : Test<never> | (V extends readonly unknown[] ? never : Where<V>);

/**
 * The fields that an item must have, as data: a value, `undefined` for an absent field, a {@link Test}, or the fields of a nested
 * object.
 */
export type Where<T> = {
  readonly [Name in keyof T]?: Expected<NonNullable<T[Name]>> | (T[Name] & (null | undefined));
};

type Name<T> = T extends Scalar | undefined | readonly unknown[] ? never : keyof T & string;
/** The name of a field, or of a field in a nested object, such as `customDomain.token`. */
export type Path<T> = Name<T> | { [N in Name<T>]: `${N}.${Name<NonNullable<T[N]>>}` }[Name<T>];

/** The changes that a rule matches, as data. All given conditions must hold. */
export interface Trigger {
  readonly events: readonly ('INSERT' | 'MODIFY' | 'REMOVE')[];
  /** The item matches this pattern after the change. */
  readonly after?: object;
  /** The item matched this pattern before the change. */
  readonly before?: object;
  /** The item did not match this pattern before the change. */
  readonly unlessBefore?: object;
  /** This field has a value after the change that differs from the one before. */
  readonly sets?: string;
  /** At least one of these fields differs. */
  readonly changes?: readonly string[];
}

/** The part of a stream record that triggers read. */
export interface Images {
  readonly eventName: string | undefined;
  readonly after: Item | undefined;
  readonly before: Item | undefined;
}

const attributeAt = (image: Item | undefined, path: string): Attribute | undefined => {
  let attribute: Attribute | undefined;
  let fields = image;
  for (const name of path.split('.')) {
    attribute = fields?.[name];
    fields = attribute && 'M' in attribute ? attribute.M : undefined;
  }
  return attribute;
};

/** Returns the value of a scalar. A list or a map is returned unchanged: it is present, and equals no scalar. */
function scalarOf(attribute: Attribute | undefined): unknown {
  if (!attribute) return undefined;
  if ('S' in attribute) return attribute.S;
  if ('N' in attribute) return Number(attribute.N);
  if ('BOOL' in attribute) return attribute.BOOL;
  return 'NULL' in attribute ? null : attribute;
}

function matchesPattern(where: object, image: Item | undefined): boolean {
  return Object.entries(where).every(([name, expected]) => {
    const attribute = image?.[name];
    if (expected instanceof Test) return expected.holds(scalarOf(attribute));
    if (typeof expected === 'object' && expected !== null) {
      return attribute !== undefined && 'M' in attribute && matchesPattern(expected, attribute.M);
    }
    return scalarOf(attribute) === expected;
  });
}

const differs = ({ after, before }: Images, path: string): boolean =>
  !isDeepStrictEqual(attributeAt(after, path), attributeAt(before, path));

/** Returns true if a trigger matches a change. It compares stored attributes without parsing the item, so it never throws. */
export function matches(trigger: Trigger, change: Images): boolean {
  const { events, after, before, unlessBefore, sets, changes } = trigger;
  return (
    events.some((name) => name === change.eventName) &&
    (!after || matchesPattern(after, change.after)) &&
    (!before || matchesPattern(before, change.before)) &&
    (!unlessBefore || !change.before || !matchesPattern(unlessBefore, change.before)) &&
    (!sets || (attributeAt(change.after, sets) !== undefined && differs(change, sets))) &&
    (!changes || changes.some((path) => differs(change, path)))
  );
}
