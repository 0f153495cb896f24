import { rename, rm } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import * as z from 'zod';

/** A thread with one PostgreSQL (PGlite). It answers each message with the bytes that the server sends. */

const { directory, task } = z.object({ directory: z.string(), task: z.enum(['prepare', 'serve']) }).parse(workerData);

/** DSQL's one role and its one isolation level, which new databases have by being copies of a prepared one. */
const SETUP = `
  CREATE ROLE admin LOGIN CREATEROLE;
  ALTER DATABASE postgres OWNER TO admin;
  ALTER SCHEMA public OWNER TO admin;
  ALTER DATABASE postgres SET default_transaction_isolation = 'repeatable read';
  ALTER DATABASE postgres SET timezone = 'UTC';
`;

if (task === 'prepare') {
  const making = `${directory}.new`;
  await rm(making, { recursive: true, force: true });
  const engine = await PGlite.create(making);
  await engine.exec(SETUP);
  await engine.close();
  await rename(making, directory);
} else {
  const engine = await PGlite.create(directory);
  await engine.exec('SET SESSION AUTHORIZATION admin');
  parentPort?.on('message', async (bytes: Uint8Array | 'close') => {
    if (bytes === 'close') {
      await engine.close();
      process.exit(0);
    }
    const answer = new Uint8Array(await engine.execProtocolRaw(bytes));
    parentPort?.postMessage(answer, [answer.buffer]);
  });
  parentPort?.postMessage('ready');
}
