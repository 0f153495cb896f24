import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { FRAMEWORK_DEFAULTS } from '../../contract/enums.ts';
import type { Starter } from '../../test/support/starters/starter.ts';
import { filesOf, STARTERS } from '../../test/support/starters/starters.ts';
import { frameworkFor, resolveBuildCommand } from '../build/build-command.ts';
import { readManifest } from '../install/manifest.ts';
import { describeStart } from './describe-start.ts';
import { layoutOf } from './layout.ts';
import { assertBuildable } from './notes.ts';
import { packagesBelow } from './packages.ts';
import { procfileOf } from './procfile.ts';
import { findStart } from './start.ts';

type Framework = keyof typeof FRAMEWORK_DEFAULTS;

let root: string;
afterEach(() => rmSync(root, { recursive: true }));

test('there are at least 40 starters of at least 15 frameworks', () => {
  root = mkdtempSync(join(tmpdir(), 'starters-'));
  expect(STARTERS.length).toBeGreaterThanOrEqual(40);
  expect(new Set(STARTERS.map(({ framework }) => framework)).size).toBeGreaterThanOrEqual(15);
});

/** NEXTJS is the framework of an application whose owner named none, whatever its repository holds. */
const settings = (starter: Starter): Framework[] =>
  starter.settings?.framework ? [starter.settings.framework] : ['NODE', 'NEXTJS'];
const cases = STARTERS.flatMap((starter) =>
  settings(starter).map((framework) => [starter.name, framework, starter] as const),
);

test.each(cases)('detects %s where the framework is %s', (_name, framework, starter) => {
  root = mkdtempSync(join(tmpdir(), 'starters-'));
  const { rootDirectory = null } = starter.settings ?? {};
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(filesOf(starter))) write(path, text);
  const { app, packaged } = layoutOf(root, rootDirectory);
  const manifest = readManifest(app);
  const job = { framework, ...FRAMEWORK_DEFAULTS[framework], startCommand: null, installCommand: 'npm ci' };
  assertBuildable(app, manifest, job);
  const detected = frameworkFor(job, manifest);
  const around = { runner: 'npm', packages: packagesBelow(app, manifest), procfile: procfileOf(app) };
  const build = resolveBuildCommand(job, manifest, around);
  for (const [path, text] of Object.entries(starter.built ?? {})) write(join(rootDirectory ?? '', path), text);
  const { start } = findStart({
    directory: app,
    repository: packaged,
    settings: { ...job, variables: {} },
    manifest,
    framework: detected,
    buildCommand: build,
  });
  expect({ framework: detected?.name ?? 'Node.js', build, start: describeStart(start) }).toEqual({
    framework: starter.framework,
    build: starter.build,
    start: starter.start,
  });
});
