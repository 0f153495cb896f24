import { type Database, DatabaseStopped, type EngineLease, LeaseTimeout } from './database.ts';
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
import { type EngineResponse, parseResponse, rowsOf } from './responses.ts';

/** https://docs.aws.amazon.com/aurora-dsql/latest/userguide/CHAP_quotas.html */
const MAX_ROWS = 3000;
const MAX_TRANSACTION_MS = 300_000;

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

/** A session's settings, which are applied to the engine's session whenever this session acquires the engine. */
interface State {
  settings: Map<string, string>;
}
const isState = (value: object | undefined): value is State => value !== undefined && 'settings' in value;

export interface Session {
  /** Handles one message from the client. Calls must not overlap. */
  handle(message: Message): Promise<void>;
  /** Ends the running query, if there is one. */
  cancel(): Promise<void>;
  /** Rolls back the transaction and deallocates the session’s statements. */
  close(): Promise<void>;
}

/**
 * Creates a client's session on a database whose engine has only one session. Keeps settings, prepared statements and the
 * transaction separate from those of other clients. The session holds the engine until the end of a batch, or of the
 * transaction that the batch leaves open.
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
  let lease: EngineLease | undefined;
  let steps: Step[] = [];
  let [rows, isWrapped, isDirty, isSkipping, isRunning] = [0, false, false, false, false];
  /** The error that the client receives because its query was killed. */
  let killError: ServerError | undefined;
  let timer: NodeJS.Timeout | undefined;

  const run = async (sql: string | Buffer): Promise<EngineResponse> => {
    if (!lease) throw new Error('The session does not hold the engine');
    return parseResponse(await lease.engine.run(typeof sql === 'string' ? query(sql) : sql));
  };

  const releaseLease = (): void => {
    clearTimeout(timer);
    const ended = lease;
    [lease, rows, isWrapped] = [undefined, 0, false];
    transaction = newTransaction();
    ended?.release();
  };

  const expire = async (): Promise<void> => {
    killError = TOO_OLD;
    await database.kill();
  };

  /** Acquires the engine unless the session holds it, and applies this session's settings and statements. */
  async function acquire(batch: readonly Step[]): Promise<void> {
    const isNew = lease === undefined;
    lease ??= await database.acquire(state);
    const isShared = isNew && lease.previous !== state;
    if (isNew) timer = setTimeout(expire, MAX_TRANSACTION_MS).unref();
    if (isShared) {
      const reset = isState(lease.previous) && lease.previous.settings.size > 0 ? ['RESET ALL'] : [];
      const set = [...state.settings].map(
        ([name, value]) => `SELECT set_config(${quote(name)}, ${quote(value)}, false)`,
      );
      if (reset.length + set.length > 0) await run([...reset, ...set].join(';'));
    }
    const replayed = prepared.missing(batch, lease, isShared);
    if (replayed.length > 0) await run(Buffer.concat([...replayed, encode('S')]));
  }

  /**
   * Applies the row limit and ends the transaction that wraps a batch: commits it, or rolls it back if it failed or changed too
   * many rows. Returns the bytes for the client.
   */
  async function applyRowLimit(response: EngineResponse, bytes: Buffer): Promise<Buffer> {
    rows += response.rows;
    const isOver = rows > MAX_ROWS;
    if (!isWrapped) {
      if (!isOver || response.status !== 'T') return bytes;
      await run(FAIL);
      return Buffer.concat([errorResponse(TOO_MANY_ROWS), readyForQuery('E')]);
    }
    if (response.status === undefined) return bytes;
    const end = await run(isOver || response.status === 'E' ? 'ROLLBACK' : 'COMMIT');
    if (isOver) return Buffer.concat([errorResponse(TOO_MANY_ROWS), readyForQuery('I')]);
    const failure = end.messages.find(({ type }) => type === 'E');
    const kept = failure ? [failure] : response.messages.filter(({ type }) => type !== 'Z');
    return Buffer.concat([...kept.map(({ type, body }) => encode(type, body)), readyForQuery('I')]);
  }

  /** Saves the session's settings after a batch that may have changed them. */
  async function saveSettings({ tags, status }: EngineResponse): Promise<void> {
    if (tags.some((tag) => /^(DISCARD ALL|DEALLOCATE ALL)$/.test(tag))) {
      lease?.statements.clear();
      prepared.clear();
    }
    if (tags.some((tag) => /^(SET|RESET|DISCARD)/.test(tag))) isDirty = true;
    if (!isDirty || status !== 'I') return;
    state.settings = new Map(rowsOf(await run(SETTINGS)).map(([name = '', value = '']) => [name, value]));
    isDirty = false;
  }

  /** Begins a transaction for a batch that modifies rows outside of one, so that the row limit applies before the commit. */
  async function wrap(batch: readonly Step[]): Promise<void> {
    if (isWrapped || transaction.open || rows > 0 || !batch.some(({ modifies }) => modifies)) return;
    const opened = await run('SELECT 1');
    if (opened.status !== 'I') return;
    await run('BEGIN');
    isWrapped = true;
  }

  /** Releases the engine after an error and returns the error for the client. */
  function fail(error: unknown): ServerError {
    const isBusy = error instanceof LeaseTimeout;
    if (!isBusy && !killError) console.error(error);
    const failure = isBusy ? BUSY : (killError ?? ENDED);
    killError = undefined;
    releaseLease();
    return failure;
  }

  async function execute(batch: readonly Step[], isEnd: boolean): Promise<void> {
    isRunning = true;
    try {
      await acquire(batch);
      await wrap(batch);
      if (!lease) return;
      const bytes = await lease.engine.run(Buffer.concat(batch.map((step) => step.bytes)));
      const response = parseResponse(bytes);
      const limited = await applyRowLimit(response, bytes);
      const status = parseResponse(limited).status;
      if (status) await saveSettings({ ...response, status });
      send(limited);
      if (status === 'I') releaseLease();
    } catch (error) {
      send(errorResponse(fail(error)));
      if (isEnd) send(readyForQuery('I'));
      else isSkipping = true;
    } finally {
      isRunning = false;
    }
  }

  /** Detects statements that may change a setting by calling a function. */
  function detectSetConfig(sql: string): void {
    if (/\bset_config\b/i.test(sql)) isDirty = true;
  }

  async function runQuery(body: Buffer): Promise<void> {
    const { sql, modifies } = translate(readText(body)[0], transaction);
    detectSetConfig(sql);
    await execute([{ bytes: encode('Q', text(sql)), modifies }], true);
  }

  /** Adds a message of the extended protocol to the batch that runs with the next Sync or Flush. */
  function addStep(message: Message): void {
    if (message.type === 'P') detectSetConfig(message.body.toString('latin1'));
    steps.push(prepared.translate(message, transaction));
  }

  async function runSteps(type: 'S' | 'H'): Promise<void> {
    const batch = [...steps, { bytes: encode(type), modifies: false }];
    steps = [];
    await execute(batch, type === 'S');
  }

  /** Ignores a message after an error. The next Sync ends the skipping. */
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
      // Without a query, killing the engine would end the open transaction.
      if (!lease || !isRunning) return;
      killError = CANCELLED;
      await database.kill();
    },
    async close() {
      const names = prepared.names();
      try {
        if (!lease && (names.length === 0 || !database.running)) return;
        lease ??= await database.acquire(state);
        await run('ROLLBACK');
        const closeMessages = names.map((name) => encode('C', Buffer.from('S'), text(name)));
        await run(Buffer.concat([...closeMessages, encode('S')]));
        for (const name of names) lease.statements.delete(name);
      } catch (error) {
        if (!(error instanceof DatabaseStopped)) console.error(error);
      } finally {
        releaseLease();
      }
    },
  };
}
