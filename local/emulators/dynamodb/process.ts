import { createEngine } from './engine.ts';
import { serveEngine } from './server.ts';

/**
 * The table's process: a thread of the processor of its own, and one that tests can stop and kill like any other engine.
 * `node process.ts <port> <region> <account> <sessions' directory> <authorizer's URL, or empty> [<file>]`. Without an authorizer all
 * requests are allowed.
 */

const TIDY_MS = 10_000;
/** Pause between two parts of a longer tidying, in which requests are answered. */
const TIDY_PAUSE_MS = 100;

const [port, region = '', account = '', sessionsDir = '', authorizerUrl = '', file] = process.argv.slice(2);
const engine = createEngine({ region, account, file });
// Imported where it is needed: it adds 0.1 s of processor time to the 0.3 s of a start.
const { createRemoteGuard } = authorizerUrl ? await import('../../iam/remote-guard.ts') : {};
const guard = createRemoteGuard?.({ sessionsDir, authorizerUrl });
const server = await serveEngine(engine, Number(port), guard);

/** Returns true if there is more to tidy. On a full disk it is tried again later: the table still answers reads. */
function tidy(): boolean {
  try {
    return engine.tidy();
  } catch (error) {
    console.error(error);
    return false;
  }
}
let timer: NodeJS.Timeout;
const tidyAfter = (ms: number): void => {
  timer = setTimeout(() => tidyAfter(tidy() ? TIDY_PAUSE_MS : TIDY_MS), ms);
};
tidyAfter(TIDY_MS);

process.once('SIGTERM', async () => {
  clearTimeout(timer);
  await server.stop();
  engine.close();
});
