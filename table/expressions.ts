import { toItem } from './attributes.ts';

/** A condition on an attribute. */
export type Condition =
  | 'present'
  | 'absent'
  | { is: string | number | boolean | null | readonly string[] | { attribute: string } }
  | { isNot: string | number | boolean }
  | { oneOf: readonly string[] }
  | { below: number | { attribute: string } }
  | { absentOrBelow: number }
  | { atLeast: number };

/** Returns the condition that an attribute still has the value that was read, or is still absent. */
export const unchanged = (read: string | number | boolean | null | readonly string[] | undefined): Condition =>
  read === undefined ? 'absent' : { is: read };

/**
 * Returns the conditions that fields of an item still have the values that were read. An update whose response is the whole item needs
 * them for the fields that it does not set, because another update may have set those in the meantime.
 */
export const allUnchanged = <Field extends string>(
  read: { readonly [field in Field]?: Parameters<typeof unchanged>[0] },
  fields: readonly Field[],
): Record<string, Condition> => Object.fromEntries(fields.map((field) => [field, unchanged(read[field])]));

/** Alternatives of which at least one must hold. Each is a set of conditions that must all hold. */
export type AnyOf = readonly Record<string, Condition>[];

/** A change of an item. Attribute paths may be nested: `plan.appLimit`. */
export interface Change {
  set?: Record<string, unknown>;
  /** Sets attributes that are absent. */
  setOnce?: Record<string, unknown>;
  /** Adds to numbers. An absent number counts as 0. */
  add?: Record<string, number>;
  /** Appends to lists. An absent list counts as empty. */
  append?: Record<string, unknown[]>;
  remove?: readonly string[];
  /** Removes list elements by their indexes before the change. Not idempotent, so `when` must no longer hold afterwards. */
  removeAt?: Record<string, readonly number[]>;
  when?: Record<string, Condition>;
  /** In each of these groups, at least one alternative must hold. */
  whenAny?: readonly AnyOf[];
}

const isWord = (name: string): boolean => /^[A-Za-z]+$/.test(name);

const isAttribute = (value: unknown): value is { attribute: string } =>
  typeof value === 'object' && value !== null && 'attribute' in value;

const aliases = new Map<string, string>();
/** Returns the alias of an attribute whose name is a single word. There are few of them and every request uses them, so they are cached. */
function plainAlias(path: string): string | undefined {
  const known = aliases.get(path);
  if (known !== undefined || !isWord(path)) return known;
  aliases.set(path, `#${path}`);
  return `#${path}`;
}

/** Collects the names and values of an expression while it is built. */
export class Expression {
  readonly names: Record<string, string> = {};
  private readonly numbered = new Map<string, string>();
  private readonly values: Record<string, unknown> = {};
  private count = 0;

  name(path: string): string {
    // The fast path, for nearly all attributes.
    const alias = plainAlias(path);
    if (alias !== undefined) {
      this.names[alias] = path;
      return alias;
    }
    return path
      .split('.')
      .map((part) => {
        const alias = isWord(part) ? `#${part}` : this.numberedAlias(part);
        this.names[alias] = part;
        return alias;
      })
      .join('.');
  }

  /**
   * Returns the alias of an attribute whose name is more than a word. It is a number, because an expression may have 4 KB, and a close of AI
   * windows names hundreds of attributes with long names.
   */
  private numberedAlias(part: string): string {
    const alias = this.numbered.get(part) ?? `#n${this.numbered.size + 1}`;
    this.numbered.set(part, alias);
    return alias;
  }

  /** Throws for undefined, which DynamoDB refuses. Use `remove` to remove a field. */
  value(value: unknown): string {
    if (value === undefined) throw new Error('An expression has no value for a field');
    this.count += 1;
    const alias = `:v${this.count}`;
    this.values[alias] = value;
    return alias;
  }

  /** Returns the condition that all of `when` hold, and at least one alternative of each group in `whenAny`. */
  condition(when: Record<string, Condition>, whenAny: readonly AnyOf[] = []): string {
    const groups = whenAny.map(
      (alternatives) => `(${alternatives.map((alternative) => `(${this.condition(alternative)})`).join(' OR ')})`,
    );
    const operand = (value: unknown) => (isAttribute(value) ? this.name(value.attribute) : this.value(value));
    const all = Object.entries(when).map(([path, condition]) => {
      const name = this.name(path);
      if (condition === 'present') return `attribute_exists(${name})`;
      if (condition === 'absent') return `attribute_not_exists(${name})`;
      if ('is' in condition) return `${name} = ${operand(condition.is)}`;
      if ('isNot' in condition) return `${name} <> ${this.value(condition.isNot)}`;
      if ('oneOf' in condition) return `${name} IN (${condition.oneOf.map((value) => this.value(value)).join(', ')})`;
      if ('absentOrBelow' in condition)
        return `(attribute_not_exists(${name}) OR ${name} < ${this.value(condition.absentOrBelow)})`;
      if ('atLeast' in condition) return `${name} >= ${this.value(condition.atLeast)}`;
      return `${name} < ${operand(condition.below)}`;
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
