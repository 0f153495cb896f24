import { rename, rm } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import * as z from 'zod';

/** A thread that runs one PostgreSQL (PGlite). It answers each message with the bytes that the server sends. */

const { directory, task } = z.object({ directory: z.string(), task: z.enum(['prepare', 'serve']) }).parse(workerData);

/** Creates DSQL's only role and sets its only isolation level. New databases are copies of this prepared one. */
const SETUP = `
  CREATE ROLE admin LOGIN CREATEROLE;
  ALTER DATABASE postgres OWNER TO admin;
  ALTER SCHEMA public OWNER TO admin;
  ALTER DATABASE postgres SET default_transaction_isolation = 'repeatable read';
  ALTER DATABASE postgres SET timezone = 'UTC';
`;

if (task === 'prepare') {
  const incomplete = `${directory}.new`;
  await rm(incomplete, { recursive: true, force: true });
  const engine = await PGlite.create(incomplete);
  await engine.exec(SETUP);
  await engine.close();
  await rename(incomplete, directory);
} else {
  const engine = await PGlite.create(directory);
  await engine.exec('SET SESSION AUTHORIZATION admin');
  parentPort?.on('message', async (bytes: Uint8Array | 'close') => {
    if (bytes === 'close') {
      await engine.close();
      process.exit(0);
    }
    const response = new Uint8Array(await engine.execProtocolRaw(bytes));
    parentPort?.postMessage(response, [response.buffer]);
  });
  parentPort?.postMessage('ready');
}
