// Run by the root's `postinstall`: installs the Node versions that applications run on, unless they are installed, and
// compares all Node executables with their pinned checksums. The platform's own comes from the install script of a
// package, whose result no lockfile covers. Plain JavaScript, because the system's Node may be too old for TypeScript.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const directory = fileURLToPath(new URL('.', import.meta.url));
const json = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const platform = `${process.platform}-${process.arch}`;
const aliases = Object.entries(json('./package.json').optionalDependencies).filter(([alias]) =>
  alias.endsWith(`-${platform}`),
);

const installed = aliases.every(([alias, wanted]) => {
  try {
    return wanted.endsWith(`@${json(`./node_modules/${alias}/package.json`).version}`);
  } catch {
    return false;
  }
});

if (!installed) {
  const [command, ...first] = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  // No links in .bin: two of the packages provide a `node`, which must not come first on PATH.
  const flags = ['ci', '--prefix', directory, '--no-bin-links', '--no-audit', '--no-fund', '--silent'];
  const { status } = spawnSync(command, [...first, ...flags], { stdio: 'inherit', cwd: directory });
  process.exitCode = status ?? 1;
}

const releases = json('../../builder/build/node-releases.json');
const executables = [
  ['24', '../../node_modules/node/bin/node'],
  ...aliases.map(([alias]) => [alias.slice('node'.length).split('-')[0], `./node_modules/${alias}/bin/node`]),
];
for (const [major, path] of executables) {
  const file = new URL(path, import.meta.url);
  if (!existsSync(file)) continue;
  const pinned = releases[major]?.[platform]?.sha256;
  if (createHash('sha256').update(readFileSync(file)).digest('hex') === pinned) continue;
  if (!pinned) {
    // The project still installs on platforms whose executables are not pinned yet.
    console.warn(
      `No Node ${major} is pinned for ${platform} in builder/build/node-releases.json: it was not verified.`,
    );
    continue;
  }
  // Removed, so that nothing runs it.
  rmSync(file);
  console.error(
    `The Node ${major} that npm installed is not the one that builder/build/node-releases.json pins. It was removed.`,
  );
  process.exitCode = 1;
}
