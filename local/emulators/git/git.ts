import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { machinePath } from '../machine.ts';
import { serveRepositories } from './git-server.ts';

export interface GitOptions {
  dataDir: string;
  /** Port of the HTTP server from which functions read branches and files. Default: a free port. */
  port?: number | undefined;
  /** Directory of bare repositories named `<name>.git`: `LOCAL_GIT_ROOT`. */
  root?: string | undefined;
  /** Directory of applications that become the repositories if there is no `root`. */
  examples: string;
}

export interface Git {
  /** Directory that `https://git.localhost/` maps to. */
  root: string;
  /** Base URL of the repositories over HTTP. */
  url: string;
  stop(): Promise<void>;
}

const run = promisify(execFile);

/**
 * Serves the repositories of the local run: those in `root`, or else the examples. Each example is one commit, which is
 * identical on every machine.
 */
export async function startGit({ port, ...options }: GitOptions): Promise<Git> {
  const root = await prepareRoot(options);
  const { url, stop } = await serveRepositories(root, port);
  return { root, url, stop };
}

async function prepareRoot({ dataDir, root, examples }: Omit<GitOptions, 'port'>): Promise<string> {
  if (root) {
    if (!existsSync(root)) throw new Error(`LOCAL_GIT_ROOT does not exist: ${root}`);
    return resolve(root);
  }
  const folder = resolve(dataDir, 'git');
  await mkdir(folder, { recursive: true });
  const names = (await readdir(examples)).filter((name) => existsSync(join(examples, name, 'package.json')));
  await Promise.all(names.map((name) => createRepository(join(examples, name), join(folder, `${name}.git`))));
  return folder;
}

async function createRepository(source: string, repository: string): Promise<void> {
  if (existsSync(repository)) return;
  // Created under another name and renamed, so that a repository is never incomplete.
  const partial = `${repository}.${randomUUID()}`;
  const author = 'Hosting Platform';
  const date = '2026-01-01T00:00:00Z';
  const env = {
    PATH: machinePath().join(':'),
    // Ignores the machine's settings: no hooks, no signing, no templates.
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: author,
    GIT_AUTHOR_EMAIL: 'examples@git.localhost',
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: author,
    GIT_COMMITTER_EMAIL: 'examples@git.localhost',
    GIT_COMMITTER_DATE: date,
  };
  const git = (...args: string[]) =>
    run('git', [`--git-dir=${partial}`, `--work-tree=${source}`, ...args], { env, cwd: source });
  await run('git', ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', '--', partial], { env });
  await git('add', '--all');
  await git('commit', '--quiet', '--message=First version');
  await rename(partial, repository);
}
