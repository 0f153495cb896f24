import { type Refusal, refusalOf } from './refusals.ts';
import { kindOf, type Statement, splitStatements } from './statements.ts';

/** The statements so far in a session’s transaction. They determine which further statements DSQL refuses. */
export interface TransactionState {
  open: boolean;
  ddl: number;
  dml: boolean;
}
export const newTransaction = (open = false): TransactionState => ({ open, ddl: 0, dml: false });

const DDL = 'https://docs.aws.amazon.com/aurora-dsql/latest/userguide/working-with-ddl.html';
const ONE_DDL: Refusal = {
  feature: 'more than one DDL statement in a transaction',
  hint: 'Run each DDL statement in a transaction of its own.',
  source: DDL,
};
const DDL_ALONE: Refusal = {
  feature: 'DDL and DML in one transaction',
  hint: 'Commit in between.',
  source: DDL,
};
const COPY: Refusal & { local: true } = { feature: 'COPY', hint: 'Use INSERT.', source: '', local: true };

/** Returns a statement that raises the refusal as an error in the engine, so that the transaction fails as after any error. */
function raise(refusal: Refusal & { local?: boolean }): string {
  const message = refusal.local
    ? `The databases of the local run do not support ${refusal.feature}; Aurora DSQL does.`
    : `Aurora DSQL does not support ${refusal.feature}.`;
  const hint = [refusal.hint, refusal.source && `See ${refusal.source}`].filter(Boolean).join(' ');
  const quote = (value: string) => `'${value.replaceAll("'", "''")}'`;
  return `DO $refused$ BEGIN RAISE EXCEPTION USING ERRCODE = '0A000', MESSAGE = ${quote(message)}, HINT = ${quote(hint)}; END $refused$`;
}

/** Returns the refusal of a statement; undefined if DSQL accepts it. Updates the transaction's state. */
function refusalFor(statement: Statement, state: TransactionState): (Refusal & { local?: boolean }) | undefined {
  if (/^COPY\b/i.test(statement.plain)) return COPY;
  const refusal = refusalOf(statement.plain);
  if (refusal) return refusal;
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

/** Removes `ASYNC`, which the engine does not know: it builds an index and validates a constraint synchronously. */
const withoutAsync = (sql: string): string => sql.replace(/\b(INDEX|ALTER\s+TABLE)\s+ASYNC\b/i, '$1');

/**
 * Translates a query for the engine. Replaces statements that DSQL does not support by statements that raise DSQL's error.
 * @param state the session's transaction; updated by the statements
 * @returns the translated query, and `modifies`: true if it modifies rows and does not itself begin or end a transaction
 */
export function translate(sql: string, state: TransactionState): { sql: string; modifies: boolean } {
  const statements = splitStatements(sql);
  const kinds = statements.map(kindOf);
  // Statements of one query form one transaction, unless they begin or end others.
  const current = state.open ? state : Object.assign(state, newTransaction());
  const translated = statements.map((statement) => {
    const refusal = refusalFor(statement, current);
    return refusal ? raise(refusal) : withoutAsync(statement.sql);
  });
  const modifies = kinds.includes('dml') && !kinds.includes('begin') && !kinds.includes('end');
  return { sql: translated.join(';'), modifies };
}
