// Installs the given major versions of Node, unless they are installed. The postinstall script installs 24, on which the platform runs.
// A first build and `scripts/setup` install the versions for applications. Extracts only the executable from npm's package, because
// headers and documentation are a third of it. No lockfile covers the executable, so it must have its pinned checksum.
// Plain JavaScript, because the system's Node may be too old for TypeScript.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const releases = JSON.parse(readFileSync(join(root, 'builder/build/node-releases.json'), 'utf8'));
const platform = `${process.platform}-${process.arch}`;

/** Runs a command. Its error output is shown. Throws if it fails. */
function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0)
    throw new Error(`${command} ${args.slice(0, 3).join(' ')} failed${error ? `: ${error.message}` : ''}`);
}

/** Returns true if a file exists and has this SHA-256. */
function isPinned(file, sha256) {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex') === sha256;
  } catch {
    return false;
  }
}

/** Installs one major version of Node. Throws if the registry does not have the pinned executable. */
function install(major) {
  const release = releases[major]?.[platform];
  if (!release) throw new Error(`No Node ${major} is pinned for ${platform} in builder/build/node-releases.json`);
  const executable = join(root, 'node_modules/.node', major, 'bin/node');
  if (isPinned(executable, release.sha256)) return;
  // Removed first, so that nothing runs an executable other than the pinned one.
  rmSync(executable, { force: true });
  mkdirSync(dirname(executable), { recursive: true });
  const temporary = mkdtempSync(join(root, 'node_modules/.node/fetching-'));
  try {
    const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
    const { package: name, version, sha256 } = release;
    run(...npm, 'pack', `${name}@${version}`, `--pack-destination=${temporary}`, '--silent', '--prefer-offline');
    const [archive = ''] = readdirSync(temporary);
    run('tar', '-xzf', join(temporary, archive), '-C', temporary, '--no-same-owner', 'package/bin/node');
    const fetched = join(temporary, 'package/bin/node');
    if (!isPinned(fetched, sha256))
      throw new Error(`The Node of ${name}@${version} is not the one that builder/build/node-releases.json pins`);
    renameSync(fetched, executable);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Makes npm's scripts use this Node: `node_modules/.bin` is first on their PATH. */
function link(major) {
  const name = join(root, 'node_modules/.bin/node');
  mkdirSync(dirname(name), { recursive: true });
  rmSync(name, { force: true });
  symlinkSync(`../.node/${major}/bin/node`, name);
}

// Ignores signals: when npm is interrupted, the commands end with it, and the temporary files are removed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
try {
  for (const major of process.argv.slice(2)) {
    install(major);
    if (major === '24') link(major);
  }
} catch (error) {
  console.error(`Node could not be installed: ${error.message}`);
  process.exitCode = 1;
}
