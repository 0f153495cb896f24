import { toItem } from './attributes.ts';

/** A condition on an attribute. Expression strings exist in this file and table/table.ts only. */
export type Condition =
  | 'present'
  | 'absent'
  | { is: string | number | boolean | null | readonly string[] }
  | { isNot: string | number | boolean }
  | { oneOf: readonly string[] }
  | { below: number | { attribute: string } }
  | { absentOrBelow: number }
  | { atLeast: number };

/** Returns the condition that an attribute is as it was read, absent included. */
export const unchanged = (read: string | number | boolean | null | readonly string[] | undefined): Condition =>
  read === undefined ? 'absent' : { is: read };

/**
 * Returns the conditions that these fields of an item are as they were read. An update that answers with the whole item needs them of the
 * fields that it does not set: another one may have set those since.
 */
export const allUnchanged = <Field extends string>(
  read: { readonly [field in Field]?: Parameters<typeof unchanged>[0] },
  fields: readonly Field[],
): Record<string, Condition> => Object.fromEntries(fields.map((field) => [field, unchanged(read[field])]));

/** Conditions of which one must hold: each is a set of conditions that hold together. */
export type AnyOf = readonly Record<string, Condition>[];

/** The change to one item. Attribute paths may be nested: `plan.appLimit`. */
export interface Change {
  set?: Record<string, unknown>;
  /** Sets what is not there yet. */
  setOnce?: Record<string, unknown>;
  /** Adds to a number; an absent one counts as 0. */
  add?: Record<string, number>;
  /** Appends to a list; an absent one counts as empty. */
  append?: Record<string, unknown[]>;
  remove?: readonly string[];
  /** Removes elements of lists by their indexes, all as they are before the change. Not idempotent: `when` must no longer hold afterwards. */
  removeAt?: Record<string, readonly number[]>;
  when?: Record<string, Condition>;
  /** Of each of these, one must hold as well. */
  whenAny?: readonly AnyOf[];
}

const aliases = new Map<string, string>();
/** The alias of an attribute whose name is one plain word: there are not many, and each stands in every request. */
function plainAlias(path: string): string | undefined {
  const known = aliases.get(path);
  if (known !== undefined || !/^[A-Za-z]+$/.test(path)) return known;
  aliases.set(path, `#${path}`);
  return `#${path}`;
}

/** Collects names and values while an expression is written. */
export class Expression {
  readonly names: Record<string, string> = {};
  private readonly values: Record<string, unknown> = {};
  private count = 0;

  name(path: string): string {
    // Nearly all are one plain word.
    const alias = plainAlias(path);
    if (alias !== undefined) {
      this.names[alias] = path;
      return alias;
    }
    return path
      .split('.')
      .map((part) => {
        const alias = `#${part.replace(/\W/g, '_')}`;
        this.names[alias] = part;
        return alias;
      })
      .join('.');
  }

  /** Throws for no value, which DynamoDB refuses: a field that is to go is removed. */
  value(value: unknown): string {
    if (value === undefined) throw new Error('An expression has no value for a field');
    this.count += 1;
    const alias = `:v${this.count}`;
    this.values[alias] = value;
    return alias;
  }

  /** Returns the condition that all of `when`, and one of each of `whenAny`, hold. */
  condition(when: Record<string, Condition>, whenAny: readonly AnyOf[] = []): string {
    const groups = whenAny.map((any) => `(${any.map((each) => `(${this.condition(each)})`).join(' OR ')})`);
    const operand = (value: number | { attribute: string }) =>
      typeof value === 'number' ? this.value(value) : this.name(value.attribute);
    const all = Object.entries(when).map(([path, must]) => {
      const name = this.name(path);
      if (must === 'present') return `attribute_exists(${name})`;
      if (must === 'absent') return `attribute_not_exists(${name})`;
      if ('is' in must) return `${name} = ${this.value(must.is)}`;
      if ('isNot' in must) return `${name} <> ${this.value(must.isNot)}`;
      if ('oneOf' in must) return `${name} IN (${must.oneOf.map((one) => this.value(one)).join(', ')})`;
      if ('absentOrBelow' in must)
        return `(attribute_not_exists(${name}) OR ${name} < ${this.value(must.absentOrBelow)})`;
      if ('atLeast' in must) return `${name} >= ${this.value(must.atLeast)}`;
      return `${name} < ${operand(must.below)}`;
    });
    return [...all, ...groups].join(' AND ');
  }

  update({ set = {}, setOnce = {}, add = {}, append = {}, remove = [], removeAt = {} }: Change): string {
    const sets = [
      ...Object.entries(set).map(([path, value]) => `${this.name(path)} = ${this.value(value)}`),
      ...Object.entries(setOnce).map(([path, value]) => {
        const name = this.name(path);
        return `${name} = if_not_exists(${name}, ${this.value(value)})`;
      }),
      ...Object.entries(append).map(([path, value]) => {
        const name = this.name(path);
        return `${name} = list_append(if_not_exists(${name}, ${this.value([])}), ${this.value(value)})`;
      }),
    ];
    const removed = [
      ...remove.map((path) => this.name(path)),
      ...Object.entries(removeAt).flatMap(([path, indexes]) => indexes.map((index) => `${this.name(path)}[${index}]`)),
    ];
    const adds = Object.entries(add).map(([path, value]) => `${this.name(path)} ${this.value(value)}`);
    return [
      sets.length > 0 ? `SET ${sets.join(', ')}` : '',
      adds.length > 0 ? `ADD ${adds.join(', ')}` : '',
      removed.length > 0 ? `REMOVE ${removed.join(', ')}` : '',
    ]
      .filter(Boolean)
      .join(' ');
  }

  parts(): Record<string, unknown> {
    return {
      ...(Object.keys(this.names).length > 0 ? { ExpressionAttributeNames: this.names } : {}),
      ...(Object.keys(this.values).length > 0 ? { ExpressionAttributeValues: toItem(this.values) } : {}),
    };
  }
}
