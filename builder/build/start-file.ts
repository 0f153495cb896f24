import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { FRAMEWORK_DEFAULTS } from '../../contract/enums.ts';
import type { Job } from '../../providers/builds/builds.ts';
import { BuildFailure } from '../failure.ts';
import type { Manifest } from '../install/manifest.ts';

type StartSettings = Pick<Job, 'framework' | 'startFile'>;

/** Matches `node server.js`, optionally with variables before it and Node options between. */
const NODE_SCRIPT = /^(?:\w+=\S*\s+)*node\s+(?:--\S+\s+)*(?<file>[^\s-][^\s;&|<>]*)\s*$/;

/** The file to start, and its source in package.json if it is not the configured file. */
export interface StartFile {
  file: string;
  from: string | undefined;
}

/**
 * Finds the file that starts the application. If the default file does not exist, reads package.json: its start script
 * if it is `node <file>`, then its `main`. Throws BuildFailure with advice for the owner.
 */
export function findStartFile(directory: string, job: StartSettings, manifest: Manifest | undefined): StartFile {
  const { framework, startFile } = job;
  const isFile = (path: string) => statSync(join(directory, path), { throwIfNoEntry: false })?.isFile() === true;
  if (isFile(startFile)) return { file: startFile, from: undefined };
  const isDefault = startFile === FRAMEWORK_DEFAULTS[framework].startFile;
  if (isDefault && (framework === 'NODE' || framework === 'EXPRESS')) {
    for (const [from, candidate] of [
      ['start script', NODE_SCRIPT.exec(manifest?.scripts.start ?? '')?.groups?.file],
      ['main', manifest?.main],
    ] as const) {
      const file = candidate === undefined ? undefined : resolveFile(candidate, isFile);
      if (file !== undefined) return { file, from };
    }
  }
  throw new BuildFailure(`The start file "${startFile}" was not found after the build${adviceFor(directory, job)}.`);
}

/**
 * Resolves a path as Node does: with `.js` added, or as the `index.js` of a directory. Rejects paths outside the
 * repository.
 */
function resolveFile(candidate: string, isFile: (path: string) => boolean): string | undefined {
  const path = posix.normalize(candidate);
  if (path.startsWith('..') || posix.isAbsolute(path)) return undefined;
  return [path, `${path}.js`, posix.join(path, 'index.js')].find(isFile);
}

function adviceFor(directory: string, { framework, startFile }: StartSettings): string {
  if (framework === 'NEXTJS' && startFile.startsWith('.next/standalone/')) {
    if (existsSync(join(directory, 'out', 'index.html')))
      return `: next.config sets output: 'export', which builds no server: remove it`;
    if (!existsSync(join(directory, '.next'))) return ': the build command did not run "next build"';
    return `: set output: 'standalone' in next.config, so that the build creates it`;
  }
  if (framework === 'NUXT' && startFile.startsWith('.output/'))
    return ': Nuxt creates it with "nuxt build" and the preset node-server';
  if (startFile === FRAMEWORK_DEFAULTS[framework].startFile)
    return ', and package.json names no other: set startFile, or a start script such as "node app.js"';
  return '';
}
