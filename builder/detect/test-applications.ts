/** Built applications for tests. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { frameworkOf, namedFramework } from '../../providers/builds/detection/frameworks.ts';
import { readManifest } from '../install/manifest.ts';
import type { BuiltApplication } from './built-application.ts';
import { describeStart } from './describe-start.ts';
import { findStart } from './start.ts';

const roots: string[] = [];

/** Removes the directories of a test. */
export function removeApplications(): void {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
}

/** Creates a directory for a test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'start-'));
  roots.push(directory);
  return directory;
}

const NODE = { framework: 'NODE', startFile: 'server.js', startCommand: null, variables: {} } as const;
export const NEXT = { framework: 'NEXTJS', startFile: '.next/standalone/server.js' } as const;

/** Creates a built application with its package.json and other files. Files given only by name are empty. */
export function application(
  manifest: object | undefined,
  files: Record<string, string> | string[] = {},
  settings: Partial<BuiltApplication['settings']> = {},
): BuiltApplication {
  const directory = temporaryDirectory();
  const all = Array.isArray(files) ? Object.fromEntries(files.map((file) => [file, ''])) : files;
  for (const [file, text] of Object.entries({
    ...all,
    ...(manifest ? { 'package.json': JSON.stringify(manifest) } : {}),
  })) {
    mkdirSync(join(directory, dirname(file)), { recursive: true });
    writeFileSync(join(directory, file), text);
  }
  const merged = { ...NODE, ...settings };
  const read = readManifest(directory);
  const framework = read ? frameworkOf(read) : namedFramework(merged.framework);
  const buildCommand = read?.scripts.build === undefined ? null : 'npm run build';
  return { directory, repository: directory, settings: merged, manifest: read, framework, buildCommand };
}

/** Returns the start of an application and what it was read from. */
export function started(...args: Parameters<typeof application>): [start: string, from: string | undefined] {
  const { start, from } = findStart(application(...args));
  return [describeStart(start), from];
}
