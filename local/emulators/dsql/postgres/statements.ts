/** One statement of a query. */
export interface Statement {
  /** The statement as the client sent it. */
  sql: string;
  /** The statement on one line, without comments, and with `''` in place of each literal. */
  plain: string;
}

/** Comments, literals, quoted names and the end of a statement (PostgreSQL, section 4.1, Lexical Structure). */
const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|[eE]'(?:[^'\\]|''|\\[\s\S])*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$(?:[A-Za-z_]\w*)?\$)[\s\S]*?\1|;|\s+/g;

/** Splits a query into its statements. Omits empty statements. */
export function splitStatements(sql: string): Statement[] {
  const statements: Statement[] = [];
  let [start, at, plain] = [0, 0, ''];
  const end = (to: number): void => {
    if (plain.trim() !== '') statements.push({ sql: sql.slice(start, to), plain: plain.trim().replace(/ {2,}/g, ' ') });
    plain = '';
  };
  for (const match of sql.matchAll(TOKEN)) {
    const [token] = match;
    plain += sql.slice(at, match.index);
    at = match.index + token.length;
    if (token === ';') {
      end(match.index);
      start = at;
    } else if (token.startsWith('"')) plain += '""';
    else if (token.startsWith('--') || token.startsWith('/*') || token.trim() === '') plain += ' ';
    else plain += "''";
  }
  plain += sql.slice(at);
  end(sql.length);
  return statements;
}

export type StatementKind = 'begin' | 'end' | 'ddl' | 'dml' | 'other';

/** Returns the kind of a statement: what it does to a transaction. */
export function kindOf({ plain }: Statement): StatementKind {
  if (/^(BEGIN|START TRANSACTION)\b/i.test(plain)) return 'begin';
  if (/^(COMMIT|END|ROLLBACK|ABORT)\b/i.test(plain)) return 'end';
  if (/^(CREATE|ALTER|DROP|COMMENT|GRANT|REVOKE)\b/i.test(plain)) return 'ddl';
  if (/^(INSERT|UPDATE|DELETE|MERGE)\b|^WITH\b.*\b(INSERT|UPDATE|DELETE|MERGE) /i.test(plain)) return 'dml';
  return 'other';
}
