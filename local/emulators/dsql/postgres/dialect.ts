import { type Refusal, refusalOf } from './refusals.ts';
import { kindOf, type Statement, splitStatements } from './statements.ts';

/** Statements of a session’s open transaction so far, by which DSQL refuses further ones. */
export interface TransactionState {
  open: boolean;
  ddl: number;
  dml: boolean;
}
export const newTransaction = (open = false): TransactionState => ({ open, ddl: 0, dml: false });

const DDL = 'https://docs.aws.amazon.com/aurora-dsql/latest/userguide/working-with-ddl.html';
const ONE_DDL: Refusal = {
  what: 'more than one DDL statement in a transaction',
  hint: 'Run each DDL statement in a transaction of its own.',
  source: DDL,
};
const DDL_ALONE: Refusal = {
  what: 'DDL and DML in one transaction',
  hint: 'Commit in between.',
  source: DDL,
};
const COPY: Refusal & { local: true } = { what: 'COPY', hint: 'Use INSERT.', source: '', local: true };

/** Returns a statement that raises the refusal as an error of the engine, so that its transaction fails as any other. */
function raise(refusal: Refusal & { local?: boolean }): string {
  const message = refusal.local
    ? `The databases of the local run do not support ${refusal.what}; Aurora DSQL does.`
    : `Aurora DSQL does not support ${refusal.what}.`;
  const hint = [refusal.hint, refusal.source && `See ${refusal.source}`].filter(Boolean).join(' ');
  const quote = (value: string) => `'${value.replaceAll("'", "''")}'`;
  return `DO $refused$ BEGIN RAISE EXCEPTION USING ERRCODE = '0A000', MESSAGE = ${quote(message)}, HINT = ${quote(hint)}; END $refused$`;
}

function refusalFor(statement: Statement, state: TransactionState): (Refusal & { local?: boolean }) | undefined {
  if (/^COPY\b/i.test(statement.plain)) return COPY;
  const refused = refusalOf(statement.plain);
  if (refused) return refused;
  const kind = kindOf(statement);
  if (kind === 'begin') Object.assign(state, newTransaction(true));
  if (kind === 'end') Object.assign(state, newTransaction());
  if (kind === 'ddl') {
    if (state.ddl > 0) return ONE_DDL;
    if (state.dml) return DDL_ALONE;
    state.ddl += 1;
  }
  if (kind === 'dml') {
    if (state.ddl > 0) return DDL_ALONE;
    state.dml = true;
  }
  return undefined;
}

/** The engine builds an index at once, and does not know the word. */
const withoutAsync = (sql: string): string => sql.replace(/\bINDEX\s+ASYNC\b/i, 'INDEX');

/**
 * Returns the query as the engine takes it: statements that DSQL does not have are replaced by ones that raise its error.
 * @param state of the session's transaction; it is changed by the statements
 * @returns whether the query modifies rows and leaves its transaction to the engine, beside it
 */
export function translate(sql: string, state: TransactionState): { sql: string; modifies: boolean } {
  const statements = splitStatements(sql);
  const kinds = statements.map(kindOf);
  // Statements sent together are one transaction, unless they begin or end others.
  const current = state.open ? state : Object.assign(state, newTransaction());
  const translated = statements.map((statement) => {
    const refused = refusalFor(statement, current);
    return refused ? raise(refused) : withoutAsync(statement.sql);
  });
  const modifies = kinds.includes('dml') && !kinds.includes('begin') && !kinds.includes('end');
  return { sql: translated.join(';'), modifies };
}
