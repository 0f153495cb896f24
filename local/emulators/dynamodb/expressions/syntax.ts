/** Syntax trees of expressions. Aliases of names and values are resolved when a request uses a tree, so that trees are kept. */

/** A document path: names as they are written, with `#` where they are aliases, and indexes of lists. */
export interface Path {
  kind: 'path';
  steps: readonly (string | number)[];
}
export interface Placeholder {
  kind: 'value';
  name: string;
}
export interface SizeOf {
  kind: 'size';
  of: Path;
}
export type Operand = Path | Placeholder | SizeOf;

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';
export type FunctionName = 'attribute_exists' | 'attribute_not_exists' | 'attribute_type' | 'begins_with' | 'contains';

export type Condition =
  | { kind: 'and' | 'or'; left: Condition; right: Condition }
  | { kind: 'not'; of: Condition }
  | { kind: 'compare'; comparator: Comparator; left: Operand; right: Operand }
  | { kind: 'between'; of: Operand; low: Operand; high: Operand }
  | { kind: 'in'; of: Operand; members: readonly Operand[] }
  | { kind: 'function'; name: FunctionName; path: Path; argument?: Operand };

/** The right side of a SET action. */
export type Expression =
  | Path
  | Placeholder
  | { kind: 'if_not_exists'; path: Path; otherwise: Expression }
  | { kind: 'list_append'; left: Expression; right: Expression }
  | { kind: 'sum'; sign: 1 | -1; left: Expression; right: Expression };

export interface Update {
  set: readonly { path: Path; to: Expression }[];
  remove: readonly Path[];
  add: readonly { path: Path; value: Placeholder }[];
  delete: readonly { path: Path; value: Placeholder }[];
}

/** A tree with all the aliases that it uses. */
export interface Parsed<T> {
  tree: T;
  names: ReadonlySet<string>;
  values: ReadonlySet<string>;
}
