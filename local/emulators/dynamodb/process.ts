import { createEngine } from './engine.ts';
import { serveEngine } from './server.ts';

/**
 * The table's process: a thread of the processor of its own, and one that tests can stop and kill like any other engine.
 * `node process.ts <port> <region> <account> [<file>]`
 */

const TIDY_MS = 10_000;

const [port, region = '', account = '', file] = process.argv.slice(2);
const engine = createEngine({ region, account, file });
const server = await serveEngine(engine, Number(port));
const timer = setInterval(() => engine.tidy(), TIDY_MS);

process.once('SIGTERM', async () => {
  clearInterval(timer);
  await server.stop();
  engine.close();
});
