/** Syntax trees of expressions. A request resolves the placeholders of names and values when it uses a tree, so that trees can be cached. */

/** A document path: names, placeholders of names (with `#`) and list indexes. */
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
  path: Path;
}
export type Operand = Path | Placeholder | SizeOf;

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';
export type FunctionName = 'attribute_exists' | 'attribute_not_exists' | 'attribute_type' | 'begins_with' | 'contains';

export type Condition =
  | { kind: 'and' | 'or'; left: Condition; right: Condition }
  | { kind: 'not'; condition: Condition }
  | { kind: 'compare'; comparator: Comparator; left: Operand; right: Operand }
  | { kind: 'between'; operand: Operand; low: Operand; high: Operand }
  | { kind: 'in'; operand: Operand; members: readonly Operand[] }
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

/** A syntax tree with all placeholders of names and values that it uses. */
export interface Parsed<T> {
  tree: T;
  names: ReadonlySet<string>;
  values: ReadonlySet<string>;
}
