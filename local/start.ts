/**
 * `npm start`: runs the whole platform on this machine until Ctrl-C. `--watch` (npm run dev) rebuilds when sources
 * change.
 */
import { SECOND_CELL } from './addresses.ts';
import { createReporter, ignoreClosedOutput } from './console.ts';
import { UserError } from './data-directory.ts';
import { type Platform, startPlatform } from './platform.ts';
import { readSettings } from './settings.ts';
import { welcome } from './welcome.ts';

/** Maximum duration of the shutdown: the time after which npm kills the process, less a margin. */
const SHUTDOWN_TIMEOUT_MS = 4500;
/** A day. JavaScript timers support at most 24 days. */
const MAX_IDLE_SECONDS = 86_400;

const {
  PORT = '4000',
  HOST,
  DATA_DIR = '.local',
  LOCAL_JSON,
  LOCAL_BUILD_NICENESS = '10',
  LOCAL_GIT_ROOT,
  LOCAL_IAM,
  LOCAL_IAM_REPORT,
  LOCAL_IDLE_SECONDS = '30',
  LOCAL_TABLE,
  STRICT_AWS,
  CELLS,
} = readSettings(process.env);
for (const output of [process.stdout, process.stderr]) ignoreClosedOutput(output);
const port = Number(PORT);
const write = (text: string): void => console.log(text);

/** Parses an on/off setting. Throws a user error for any other word, so that a typo does not silently mean off. */
function isOn(name: string, value = ''): boolean {
  if (/^(on|true|yes|1)$/i.test(value)) return true;
  if (/^(off|false|no|0)?$/i.test(value)) return false;
  throw new UserError(`${name} must be on or off, not ${value}`);
}

let platform: Platform | undefined;
let isShuttingDown = false;
async function shutDown(code: number): Promise<void> {
  if (isShuttingDown) return;
  isShuttingDown = true;
  setTimeout(() => process.exit(code), SHUTDOWN_TIMEOUT_MS).unref();
  try {
    await platform?.stop();
  } finally {
    // If the shutdown failed, the watchdog ends the remaining processes.
    process.exit(code);
  }
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void shutDown(0));

try {
  if (!/^\d+$/.test(PORT) || port < 1 || port > 65_535)
    throw new UserError(`PORT must be a number from 1 to 65535, not ${PORT}`);
  if (!(Number(LOCAL_IDLE_SECONDS) > 0 && Number(LOCAL_IDLE_SECONDS) <= MAX_IDLE_SECONDS))
    throw new UserError(
      `LOCAL_IDLE_SECONDS must be a number of seconds up to ${MAX_IDLE_SECONDS}, not ${LOCAL_IDLE_SECONDS}`,
    );
  if (!/^1?\d$/.test(LOCAL_BUILD_NICENESS))
    throw new UserError(`LOCAL_BUILD_NICENESS must be a number from 0 to 19, not ${LOCAL_BUILD_NICENESS}`);
  if (CELLS && CELLS !== '1' && CELLS !== '2') throw new UserError(`CELLS must be 1 or 2, not ${CELLS}`);
  const started = performance.now();
  platform = await startPlatform({
    port,
    host: HOST,
    dataDir: DATA_DIR,
    localJson: LOCAL_JSON,
    gitRoot: LOCAL_GIT_ROOT,
    table: LOCAL_TABLE,
    cells: CELLS === '2' ? [SECOND_CELL] : [],
    strict: isOn('STRICT_AWS', STRICT_AWS),
    enforceIam: isOn('LOCAL_IAM', LOCAL_IAM),
    iamReport: LOCAL_IAM_REPORT,
    idleMs: Number(LOCAL_IDLE_SECONDS) * 1000,
    buildNiceness: Number(LOCAL_BUILD_NICENESS),
    watch: process.argv.includes('--watch'),
    shell: process.env,
    reporter: createReporter(write),
    onExit: (message) => {
      console.error(message);
      void shutDown(1);
    },
  });
  if (isShuttingDown) await platform.stop();
  else {
    for (const line of welcome(platform.local, performance.now() - started)) write(line);
    write(`ready ${platform.local.baseUrl}`);
  }
} catch (error) {
  console.error(error instanceof UserError ? error.message : error);
  process.exit(1);
}
