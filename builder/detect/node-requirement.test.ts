import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseManifest } from '../../providers/builds/detection/manifest.ts';
import { nodeRequirementOf } from './node-requirement.ts';

let install: string;
let app: string;
beforeEach(() => {
  install = mkdtempSync(join(tmpdir(), 'node-requirement-'));
  app = join(install, 'web');
  mkdirSync(app);
});
afterEach(() => rmSync(install, { recursive: true }));

const put = (directory: string, file: string, text: string) => writeFileSync(join(directory, file), text);
const requiring = (node: string) => parseManifest(JSON.stringify({ engines: { node } }));
const none = parseManifest('{}');

test('engines precedes the files of version managers, and the application precedes its repository', () => {
  put(install, '.nvmrc', '20\n');
  expect(nodeRequirementOf({ app, install }, none, none)).toEqual({ range: '20.x', file: '.nvmrc' });
  put(app, '.node-version', 'v24.1.0\n');
  expect(nodeRequirementOf({ app, install }, none, none)).toEqual({ range: '24.x', file: '.node-version' });
  expect(nodeRequirementOf({ app, install }, none, requiring('>=20'))).toMatchObject({ range: '>=20' });
  expect(nodeRequirementOf({ app, install }, requiring('22'), requiring('>=20'))).toMatchObject({ range: '22' });
});

test('a file that names no number, a directory and a long file are passed over', () => {
  put(app, '.nvmrc', 'lts/*\n');
  mkdirSync(join(app, '.node-version'));
  put(install, '.nvmrc', `22${'\n'.repeat(2000)}`);
  expect(nodeRequirementOf({ app, install }, none, none)).toBeUndefined();
  put(install, '.node-version', '22');
  expect(nodeRequirementOf({ app, install }, none, undefined)).toEqual({ range: '22.x', file: '.node-version' });
});
