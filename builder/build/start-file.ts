import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { FRAMEWORK_DEFAULTS } from '../../contract/enums.ts';
import type { Job } from '../../providers/builds/builds.ts';
import { BuildFailure } from '../failure.ts';
import type { Manifest } from '../install/manifest.ts';

type Started = Pick<Job, 'framework' | 'startFile'>;

/** `node server.js`, with variables before it and options of Node's between. */
const NODE_SCRIPT = /^(?:\w+=\S*\s+)*node\s+(?:--\S+\s+)*(?<file>[^\s-][^\s;&|<>]*)\s*$/;

/** The file to start, and where it comes from when it is not the one that was asked for. */
export interface StartFile {
  file: string;
  from: string | undefined;
}

/**
 * Finds the file that starts the application. Where it is the default and not there, package.json is asked: its start
 * script as far as that is `node <file>`, then its `main`. Throws with what the owner can do.
 */
export function findStartFile(directory: string, job: Started, manifest: Manifest | undefined): StartFile {
  const { framework, startFile } = job;
  const isFile = (path: string) => statSync(join(directory, path), { throwIfNoEntry: false })?.isFile() === true;
  if (isFile(startFile)) return { file: startFile, from: undefined };
  const byDefault = startFile === FRAMEWORK_DEFAULTS[framework].startFile;
  if (byDefault && (framework === 'NODE' || framework === 'EXPRESS')) {
    for (const [from, said] of [
      ['start script', NODE_SCRIPT.exec(manifest?.scripts.start ?? '')?.groups?.file],
      ['main', manifest?.main],
    ] as const) {
      const file = said === undefined ? undefined : resolveFile(said, isFile);
      if (file !== undefined) return { file, from };
    }
  }
  throw new BuildFailure(`The start file "${startFile}" was not found after the build${advice(directory, job)}.`);
}

/** As Node finds it: with `.js` added, or the `index.js` of a directory; nothing outside of the repository. */
function resolveFile(said: string, isFile: (path: string) => boolean): string | undefined {
  const path = posix.normalize(said);
  if (path.startsWith('..') || posix.isAbsolute(path)) return undefined;
  return [path, `${path}.js`, posix.join(path, 'index.js')].find(isFile);
}

function advice(directory: string, { framework, startFile }: Started): string {
  if (framework === 'NEXTJS' && startFile.startsWith('.next/standalone/')) {
    if (existsSync(join(directory, 'out', 'index.html')))
      return `: next.config sets output: 'export', which makes no server; leave it out`;
    if (!existsSync(join(directory, '.next'))) return ': the build command did not run "next build"';
    return `: set output: 'standalone' in next.config, so that the build makes it`;
  }
  if (framework === 'NUXT' && startFile.startsWith('.output/'))
    return ': Nuxt makes it with "nuxt build" and the preset node-server';
  if (startFile === FRAMEWORK_DEFAULTS[framework].startFile)
    return ', and package.json names no other: set startFile, or a start script like "node app.js"';
  return '';
}
