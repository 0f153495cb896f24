import { type Answer, readAnswer, rowsOf } from './answers.ts';
import { type Database, type Turn, TurnTimeout } from './database.ts';
import { newTransaction, translate } from './dialect.ts';
import {
  encode,
  errorResponse,
  type Message,
  query,
  readText,
  readyForQuery,
  type ServerError,
  text,
} from './messages.ts';
import { createPrepared, type Step } from './prepared.ts';

/** https://docs.aws.amazon.com/aurora-dsql/latest/userguide/CHAP_quotas.html */
export const MAX_ROWS = 3000;
export const MAX_TRANSACTION_MS = 300_000;

const TOO_MANY_ROWS: ServerError = {
  code: '54000',
  message: 'transaction row limit exceeded',
  hint: `Aurora DSQL changes at most ${MAX_ROWS} rows in a transaction: commit in batches.`,
};
const TOO_OLD: ServerError = { code: '54000', message: 'transaction age limit of 300s exceeded' };
const CANCELLED: ServerError = { code: '57014', message: 'canceling statement due to user request' };
const BUSY: ServerError = {
  code: '55P03',
  message: 'another connection’s transaction is open',
  hint: 'A database of the local run works on one transaction at a time. Commit or roll back the other one.',
};
const ENDED: ServerError = { code: '57P01', message: 'The database engine ended; the transaction was rolled back.' };

const quote = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const SETTINGS = `SELECT name, setting FROM pg_settings WHERE source = 'session'
  AND name NOT IN ('session_authorization', 'is_superuser', 'transaction_isolation', 'transaction_read_only')`;
const FAIL = "DO $$ BEGIN RAISE EXCEPTION 'limit'; END $$";

/** Settings of a session, which the engine's one session takes on in turn. */
interface State {
  settings: Map<string, string>;
}
const isState = (value: object | undefined): value is State => value !== undefined && 'settings' in value;

export interface Session {
  /** Handles one message of the client; calls must not overlap. */
  handle(message: Message): Promise<void>;
  /** Ends the running query. */
  cancel(): Promise<void>;
  /** Rolls back, and forgets the session’s statements. */
  close(): Promise<void>;
}

/**
 * One client's session on a database whose engine has only one: settings, prepared statements and the transaction are kept
 * apart. A turn lasts to the end of a batch, or of the transaction that it leaves open.
 */
export function createSession(
  id: number,
  database: Database,
  settings: Map<string, string>,
  send: (bytes: Buffer) => void,
): Session {
  const state: State = { settings };
  const prepared = createPrepared(`s${id}_`);
  let transaction = newTransaction();
  let turn: Turn | undefined;
  let steps: Step[] = [];
  let [rows, isWrapped, isDirty, isSkipping] = [0, false, false, false];
  let reason: ServerError | undefined;
  let timer: NodeJS.Timeout | undefined;

  const run = async (sql: string | Buffer): Promise<Answer> => {
    if (!turn) throw new Error('The session has no turn');
    return readAnswer(await turn.engine.run(typeof sql === 'string' ? query(sql) : sql));
  };

  const endTurn = (): void => {
    clearTimeout(timer);
    const ended = turn;
    [turn, rows, isWrapped] = [undefined, 0, false];
    transaction = newTransaction();
    ended?.end();
  };

  const expire = async (): Promise<void> => {
    reason = TOO_OLD;
    await database.kill();
  };

  /** Takes a turn, and brings the engine's session into this one's state. */
  async function enter(batch: readonly Step[]): Promise<void> {
    const isNew = turn === undefined;
    turn ??= await database.take(state);
    const isOther = isNew && turn.previous !== state;
    if (isNew) timer = setTimeout(expire, MAX_TRANSACTION_MS).unref();
    if (isOther) {
      const reset = isState(turn.previous) && turn.previous.settings.size > 0 ? ['RESET ALL'] : [];
      const set = [...state.settings].map(
        ([name, value]) => `SELECT set_config(${quote(name)}, ${quote(value)}, false)`,
      );
      if (reset.length + set.length > 0) await run([...reset, ...set].join(';'));
    }
    const replayed = prepared.missing(batch, turn, isOther);
    if (replayed.length > 0) await run(Buffer.concat([...replayed, encode('S')]));
  }

  /** Applies the limit of rows, and keeps a batch outside a transaction in one of its own until it is judged. */
  async function settle(answer: Answer, bytes: Buffer): Promise<Buffer> {
    rows += answer.rows;
    const isOver = rows > MAX_ROWS;
    if (!isWrapped) {
      if (!isOver || answer.status !== 'T') return bytes;
      await run(FAIL);
      return Buffer.concat([errorResponse(TOO_MANY_ROWS), readyForQuery('E')]);
    }
    if (answer.status === undefined) return bytes;
    const end = await run(isOver || answer.status === 'E' ? 'ROLLBACK' : 'COMMIT');
    if (isOver) return Buffer.concat([errorResponse(TOO_MANY_ROWS), readyForQuery('I')]);
    const failure = end.messages.find(({ type }) => type === 'E');
    const kept = failure ? [failure] : answer.messages.filter(({ type }) => type !== 'Z');
    return Buffer.concat([...kept.map(({ type, body }) => encode(type, body)), readyForQuery('I')]);
  }

  async function remember({ tags, status }: Answer): Promise<void> {
    if (tags.some((tag) => /^(DISCARD ALL|DEALLOCATE ALL)$/.test(tag))) {
      turn?.statements.clear();
      prepared.clear();
    }
    if (tags.some((tag) => /^(SET|RESET|DISCARD)/.test(tag))) isDirty = true;
    if (!isDirty || status !== 'I') return;
    state.settings = new Map(rowsOf(await run(SETTINGS)).map(([name = '', value = '']) => [name, value]));
    isDirty = false;
  }

  /** Opens a transaction for a batch that modifies rows outside one, so that it is judged before it is committed. */
  async function wrap(batch: readonly Step[]): Promise<void> {
    if (isWrapped || transaction.open || rows > 0 || !batch.some(({ modifies }) => modifies)) return;
    const opened = await run('SELECT 1');
    if (opened.status !== 'I') return;
    await run('BEGIN');
    isWrapped = true;
  }

  /** Ends the turn after an error in it, and returns the error that the client receives. */
  function fail(error: unknown): ServerError {
    const isBusy = error instanceof TurnTimeout;
    if (!isBusy && !reason) console.error(error);
    const failure = isBusy ? BUSY : (reason ?? ENDED);
    reason = undefined;
    endTurn();
    return failure;
  }

  async function execute(batch: readonly Step[], isEnd: boolean): Promise<void> {
    try {
      await enter(batch);
      await wrap(batch);
      if (!turn) return;
      const bytes = await turn.engine.run(Buffer.concat([...batch.map((each) => each.bytes)]));
      const answer = readAnswer(bytes);
      const settled = await settle(answer, bytes);
      const status = readAnswer(settled).status;
      if (status) await remember({ ...answer, status });
      send(settled);
      if (status === 'I') endTurn();
    } catch (error) {
      send(errorResponse(fail(error)));
      if (isEnd) send(readyForQuery('I'));
      else isSkipping = true;
    }
  }

  /** Notes that a statement may change a setting by a function. */
  function noteSetting(sql: string): void {
    if (/\bset_config\b/i.test(sql)) isDirty = true;
  }

  async function runQuery(body: Buffer): Promise<void> {
    const { sql, modifies } = translate(readText(body)[0], transaction);
    noteSetting(sql);
    await execute([{ bytes: encode('Q', text(sql)), modifies }], true);
  }

  /** Adds a message of the extended protocol to the batch that runs with the next Sync or Flush. */
  function addStep(message: Message): void {
    if (message.type === 'P') noteSetting(message.body.toString('latin1'));
    steps.push(prepared.step(message, transaction));
  }

  async function runSteps(type: 'S' | 'H'): Promise<void> {
    const batch = [...steps, { bytes: encode(type), modifies: false }];
    steps = [];
    await execute(batch, type === 'S');
  }

  /** Ignores a message after an error, up to the next Sync. */
  function skip(type: string): void {
    if (type !== 'S') return;
    isSkipping = false;
    send(readyForQuery('I'));
  }

  return {
    async handle(message) {
      const { type, body } = message;
      if (type === 'Q') await runQuery(body);
      else if (isSkipping) skip(type);
      else if (type === 'S' || type === 'H') await runSteps(type);
      else if ('PBDEC'.includes(type)) addStep(message);
    },
    async cancel() {
      if (!turn) return;
      reason = CANCELLED;
      await database.kill();
    },
    async close() {
      const names = prepared.names();
      try {
        if (!turn && (names.length === 0 || !database.running)) return;
        turn ??= await database.take(state);
        await run('ROLLBACK');
        const forget = names.map((name) => encode('C', Buffer.from('S'), text(name)));
        await run(Buffer.concat([...forget, encode('S')]));
        for (const name of names) turn.statements.delete(name);
      } catch (error) {
        console.error(error);
      } finally {
        endTurn();
      }
    },
  };
}
