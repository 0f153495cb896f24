/** The parts of CREATE TABLE and ALTER TABLE on which a refusal depends. All text is without comments, literals and quoted names. */
export interface TableStatement {
  /** Definitions of new columns without their names: `uuid PRIMARY KEY`. */
  columns: string[];
  /** The actions of ALTER TABLE: `DROP COLUMN ""`. */
  actions: string[];
}

const NAME = String.raw`(?:""|\w+)(?: ?\. ?(?:""|\w+))?`;
const CREATE_TABLE = new RegExp(String.raw`^CREATE TABLE (?:IF NOT EXISTS )?${NAME} ?(\(.*)$`, 'i');
const ALTER_TABLE = new RegExp(
  String.raw`^ALTER TABLE (?:ASYNC )?(?:IF EXISTS )?(?:ONLY )?${NAME}(?: ?\*)? (.*)$`,
  'i',
);
const CONSTRAINT = /^(CONSTRAINT|PRIMARY KEY|UNIQUE|CHECK|FOREIGN KEY|EXCLUDE|LIKE)\b/i;
const ADD_COLUMN = /^ADD (?:COLUMN )?(?:IF NOT EXISTS )?/i;

/** Splits a list at its commas, except those in parentheses. Ends at the parenthesis that closes the list. */
function splitList(text: string): string[] {
  const items: string[] = [];
  let [depth, start, at] = [0, 0, 0];
  for (; at < text.length && depth >= 0; at += 1) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')') depth -= 1;
    if (depth > 0 || (depth === 0 && text[at] !== ',')) continue;
    items.push(text.slice(start, at).trim());
    start = at + 1;
  }
  if (depth >= 0) items.push(text.slice(start).trim());
  return items;
}

const withoutName = (column: string): string => column.replace(/^(""|\w+) ?/, '');

/** Reads a statement that defines or changes a table; undefined for other statements. */
export function readTableStatement(plain: string): TableStatement | undefined {
  const created = CREATE_TABLE.exec(plain)?.[1];
  if (created !== undefined) {
    const columns = splitList(created.slice(1)).filter((item) => !CONSTRAINT.test(item));
    return { columns: columns.map(withoutName), actions: [] };
  }
  const altered = ALTER_TABLE.exec(plain)?.[1];
  if (altered === undefined) return undefined;
  const actions = splitList(altered);
  const added = actions.filter((action) => ADD_COLUMN.test(action)).map((action) => action.replace(ADD_COLUMN, ''));
  return { columns: added.filter((column) => !CONSTRAINT.test(column)).map(withoutName), actions };
}
