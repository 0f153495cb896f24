import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const OUTPUT_FOLDER = join(ROOT, 'dist', 'dashboard');
/** The source files of the web app. */
const SOURCES = ['dashboard/**/*', 'contract/**/*.ts', 'package-lock.json'];

const modified = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function isFresh(): boolean {
  const index = join(OUTPUT_FOLDER, 'index.html');
  if (!existsSync(index)) return false;
  const built = modified(index);
  return SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).every(
    (file) => modified(join(ROOT, file)) <= built,
  );
}

/**
 * Returns the folder of the built web app, and builds it first if its sources changed. The build is written to another folder and then renamed,
 * so that a process that serves the folder never sees an incomplete build. Throws with Vite's output if the build fails.
 */
export async function buildWebApp(): Promise<string> {
  if (isFresh()) return OUTPUT_FOLDER;
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin', 'vite.js');
  const temporaryFolder = `${OUTPUT_FOLDER}.${process.pid}`;
  const child = spawn(
    process.execPath,
    [vite, 'build', 'dashboard', '--outDir', temporaryFolder, '--logLevel', 'warn'],
    {
      cwd: ROOT,
      // A test run sets NODE_ENV to `test`, and React's development build is twice the size.
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => output.push(text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`The dashboard could not be built:\n${output.join('')}`);
  await rm(OUTPUT_FOLDER, { recursive: true, force: true });
  await rename(temporaryFolder, OUTPUT_FOLDER);
  return OUTPUT_FOLDER;
}
