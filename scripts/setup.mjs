// Run by scripts/setup: makes npm add the development dependencies, and fetches the Node versions for applications. Concurrent set-ups
// wait for each other. Plain JavaScript with only Node's modules, because nothing else may be installed.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const LOCK = 'package-lock.json';
/** Not in `.bin` or a package's folder: `npm ci` removes it with all packages, `npm install` keeps it. */
const MARKERS = 'node_modules/.setup';
const DONE = `${MARKERS}/${LOCK}`;
const OWNER = `${MARKERS}/owner`;
const RETRY_MS = 500;

const isDone = () => existsSync(DONE) && readFileSync(DONE).equals(readFileSync(LOCK));

/** Returns true if a process is still running. */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Tries to acquire the lock of this folder. Returns true if it succeeds. */
function tryLock() {
  try {
    writeFileSync(OWNER, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

/** Acquires the lock of this folder. Waits for another set-up to end. */
async function acquireLock() {
  for (let isFirst = true; !tryLock(); isFirst = false) {
    const owner = Number(existsSync(OWNER) ? readFileSync(OWNER, 'utf8') : 0);
    if (owner > 0 && !isRunning(owner)) {
      rmSync(OWNER, { force: true });
      continue;
    }
    if (isFirst) console.log(`Waiting for another set-up of this folder${owner ? ` (process ${owner})` : ''} …`);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Runs one step. If it fails, prints what to do, and throws. */
function step(what, command, args) {
  const { status, error, signal } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status === 0) return;
  const cause = error?.message ?? (signal ? `ended by ${signal}` : `exit code ${status}`);
  console.error(
    `${what} failed (${cause}; npm's message is above). It needs npm's registry (npm config get registry) and about 600 MB; ` +
      'then repeat the command, or "npm run setup". If node_modules was changed by hand, "npm ci" replaces it.',
  );
  process.exitCode = 1;
  throw new Error(what);
}

mkdirSync(MARKERS, { recursive: true });
await acquireLock();
try {
  if (!isDone()) {
    const started = Date.now();
    console.log('Fetching what tests, linters and deployments need from the npm registry, once …');
    const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
    const [command, ...first] = npm;
    const installNode = (node, ...majors) =>
      step('The installation of Node', node, ['local/runtimes/install.mjs', ...majors]);
    // Before the packages and again after them, because npm removes the Node that an earlier version of the project installed.
    installNode(process.execPath, '24');
    // Adds to the installed packages. Ignores scripts: the project's would bundle everything again, and no package needs one.
    const flags = ['--include=dev', '--no-save', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
    step('npm install', command, [...first, 'install', ...flags, '--loglevel=error']);
    installNode('node_modules/.node/24/bin/node', '24', '22', '20');
    copyFileSync(LOCK, DONE);
    console.log(`Fetched in ${Math.round((Date.now() - started) / 1000)} s.`);
  }
} catch (error) {
  if (!process.exitCode) throw error;
} finally {
  rmSync(OWNER, { force: true });
}
