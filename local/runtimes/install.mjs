// Run by the root's `postinstall`: installs the Node versions that applications run on, unless they are installed.
// Plain JavaScript, because the system's Node may be too old for TypeScript.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const directory = fileURLToPath(new URL('.', import.meta.url));
const json = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const machine = `-${process.platform}-${process.arch}`;

const installed = Object.entries(json('./package.json').optionalDependencies)
  .filter(([alias]) => alias.endsWith(machine))
  .every(([alias, wanted]) => {
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
