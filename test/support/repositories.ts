import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Runs git in a folder and returns its output. */
export const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
    cwd,
    stdio: 'pipe',
    encoding: 'utf8',
  });

/** Commits files to a folder's repository, creating it if needed, and returns the short hash. */
export function commitTo(folder: string, files: Record<string, string | Buffer>, message = 'test'): string {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet', '--initial-branch=main');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--allow-empty', '--message', message);
  return git(folder, 'rev-parse', '--short=7', 'HEAD').trim();
}

/**
 * Returns a function that commits to `<root>/<name>.git`, which the platform clones as `https://git.localhost/<name>.git`. It
 * throws for a repository of another file: files run at the same time, and share the root.
 */
export function committer(root: string): (name: string, files: Record<string, string | Buffer>) => string {
  const own = new Set<string>();
  return (name, files) => {
    const folder = join(root, `${name}.git`);
    if (existsSync(folder) && !own.has(name)) throw new Error(`another test has a repository with the name ${name}`);
    own.add(name);
    return commitTo(folder, files);
  };
}

const SERVER = (says: string) =>
  `require('node:http').createServer((q, s) => s.end(${says})).listen(process.env.PORT);`;

/** Returns the files of an application without dependencies that responds with the value of an expression. */
export const app = (says: string, scripts: Record<string, string> = {}) => ({
  'package.json': JSON.stringify({ name: 'app', version: '1.0.0', private: true, scripts }),
  'package-lock.json': JSON.stringify({
    name: 'app',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: { '': { name: 'app', version: '1.0.0' } },
  }),
  'server.js': SERVER(says),
});
