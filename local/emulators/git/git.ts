import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { machinePath } from '../machine.ts';

export interface GitOptions {
  dataDir: string;
  /** Directory of bare repositories, `<name>.git` each: `LOCAL_GIT_ROOT`. */
  root?: string | undefined;
  /** Applications that become repositories where there is no `root`. */
  examples: string;
}

export interface Git {
  /** Where `https://git.localhost/` leads. */
  root: string;
}

const run = promisify(execFile);

/** The repositories of the local run: those in `root`, else the examples, each as one commit that is the same everywhere. */
export async function startGit({ dataDir, root, examples }: GitOptions): Promise<Git> {
  if (root) {
    if (!existsSync(root)) throw new Error(`LOCAL_GIT_ROOT does not exist: ${root}`);
    return { root: resolve(root) };
  }
  const made = resolve(dataDir, 'git');
  await mkdir(made, { recursive: true });
  const names = (await readdir(examples)).filter((name) => existsSync(join(examples, name, 'package.json')));
  await Promise.all(names.map((name) => makeRepository(join(examples, name), join(made, `${name}.git`))));
  return { root: made };
}

async function makeRepository(source: string, repository: string): Promise<void> {
  if (existsSync(repository)) return;
  // Under another name first: a repository is whole or not there.
  const partial = `${repository}.${randomUUID()}`;
  const nobody = 'Hosting Platform';
  const when = '2026-01-01T00:00:00Z';
  const env = {
    PATH: machinePath().join(':'),
    // Nothing of the machine's own settings: no hooks, no signing, no templates.
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: nobody,
    GIT_AUTHOR_EMAIL: 'examples@git.localhost',
    GIT_AUTHOR_DATE: when,
    GIT_COMMITTER_NAME: nobody,
    GIT_COMMITTER_EMAIL: 'examples@git.localhost',
    GIT_COMMITTER_DATE: when,
  };
  const git = (...args: string[]) =>
    run('git', [`--git-dir=${partial}`, `--work-tree=${source}`, ...args], { env, cwd: source });
  await run('git', ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', '--', partial], { env });
  await git('add', '--all');
  await git('commit', '--quiet', '--message=First version');
  await rename(partial, repository);
}
