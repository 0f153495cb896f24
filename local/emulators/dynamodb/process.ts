import { createEngine } from './engine.ts';
import { serveEngine } from './server.ts';

/**
 * The process of the table engine. It uses another core than the local run, and tests can stop and kill it like any other engine.
 * `node process.ts <port> <region> <account> <sessions' directory> <authorizer's URL, or empty> [<file>]`. Without an authorizer, all
 * requests are allowed.
 */

const CLEANUP_INTERVAL_MS = 10_000;
/** Pause between two calls of a longer cleanup, in which requests are served. */
const CLEANUP_PAUSE_MS = 100;

const [port, region = '', account = '', sessionsDir = '', authorizerUrl = '', file] = process.argv.slice(2);
const engine = createEngine({ region, account, file });
// Imported only if needed: it adds 0.1 s of processor time to the start, which takes 0.3 s.
const { createRemoteGuard } = authorizerUrl ? await import('../../iam/remote-guard.ts') : {};
const guard = createRemoteGuard?.({ sessionsDir, authorizerUrl });
const server = await serveEngine(engine, Number(port), guard);

/** Returns true if more may be expired. A failure, such as a full disk, is logged and retried later: reads still work. */
function cleanUp(): boolean {
  try {
    return engine.removeExpired();
  } catch (error) {
    console.error(error);
    return false;
  }
}
let timer: NodeJS.Timeout;
const scheduleCleanup = (delayMs: number): void => {
  timer = setTimeout(() => scheduleCleanup(cleanUp() ? CLEANUP_PAUSE_MS : CLEANUP_INTERVAL_MS), delayMs);
};
scheduleCleanup(CLEANUP_INTERVAL_MS);

process.once('SIGTERM', async () => {
  clearTimeout(timer);
  await server.stop();
  engine.close();
});
