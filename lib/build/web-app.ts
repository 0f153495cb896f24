import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const BUILT = join(ROOT, 'dist', 'dashboard');
/** What the web app is made of. */
const SOURCES = ['dashboard/**/*', 'contract/**/*.ts', 'package-lock.json'];

const modified = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function isFresh(): boolean {
  const index = join(BUILT, 'index.html');
  if (!existsSync(index)) return false;
  const built = modified(index);
  return SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).every(
    (file) => modified(join(ROOT, file)) <= built,
  );
}

/**
 * The folder with the built web app, built now if its sources have changed since. Built beside and then put in place, so
 * that another run that serves it meanwhile never sees half of it. Throws with what Vite says if it cannot be built.
 */
export async function builtWebApp(): Promise<string> {
  if (isFresh()) return BUILT;
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin', 'vite.js');
  const beside = `${BUILT}.${process.pid}`;
  const child = spawn(process.execPath, [vite, 'build', 'dashboard', '--outDir', beside, '--logLevel', 'warn'], {
    cwd: ROOT,
    // Whatever runs this (a test, say): React's development build is twice the size.
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => said.push(text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the dashboard could not be built:\n${said.join('')}`);
  await rm(BUILT, { recursive: true, force: true });
  await rename(beside, BUILT);
  return BUILT;
}
