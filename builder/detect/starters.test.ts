import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { FRAMEWORK_DEFAULTS } from '../../contract/enums.ts';
import { frameworkOf } from '../../providers/builds/detection/frameworks.ts';
import { filesOf, STARTERS } from '../../test/support/starters/starters.ts';
import { resolveBuildCommand } from '../build/build-command.ts';
import { readManifest } from '../install/manifest.ts';
import { layoutOf } from './layout.ts';
import { packagesBelow } from './packages.ts';
import { describeStart, findStart } from './start.ts';

let root: string;
afterEach(() => rmSync(root, { recursive: true }));

test('there are at least 40 starters of at least 15 frameworks', () => {
  root = mkdtempSync(join(tmpdir(), 'starters-'));
  expect(STARTERS.length).toBeGreaterThanOrEqual(40);
  expect(new Set(STARTERS.map(({ framework }) => framework)).size).toBeGreaterThanOrEqual(15);
});

test.each(STARTERS.map((starter) => [starter.name, starter] as const))('detects %s', (_name, starter) => {
  root = mkdtempSync(join(tmpdir(), 'starters-'));
  const { rootDirectory = null } = starter.settings ?? {};
  const framework: keyof typeof FRAMEWORK_DEFAULTS = starter.settings?.framework ?? 'NODE';
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(filesOf(starter))) write(path, text);
  const { app, packaged } = layoutOf(root, rootDirectory);
  const manifest = readManifest(app);
  const detected = manifest && frameworkOf(manifest);
  const settings = { framework, ...FRAMEWORK_DEFAULTS[framework], startCommand: null };
  const build = resolveBuildCommand(settings, manifest, packagesBelow(app, manifest));
  for (const [path, text] of Object.entries(starter.built ?? {})) write(join(rootDirectory ?? '', path), text);
  const { start } = findStart({
    directory: app,
    repository: packaged,
    settings,
    manifest,
    framework: detected,
    skippedBuild: false,
  });
  expect({ framework: detected?.name ?? 'Node.js', build, start: describeStart(start) }).toEqual({
    framework: starter.framework,
    build: starter.build,
    start: starter.start,
  });
});
