import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { collect } from './tree.ts';

let root: string;
afterEach(() => rmSync(root, { recursive: true }));

/** Collects a site that links to directories beside it, which have these links, and returns the paths. */
async function pathsOf(directories: Record<string, Record<string, string>>): Promise<string[]> {
  root = mkdtempSync(join(tmpdir(), 'tree-'));
  mkdirSync(join(root, 'site'));
  symlinkSync('../0', join(root, 'site/linked'));
  for (const [directory, links] of Object.entries(directories)) {
    mkdirSync(join(root, directory));
    writeFileSync(join(root, directory, 'a.txt'), 'a');
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, directory, name));
  }
  const site = { kind: 'site', directory: 'site', single: false } as const;
  return (await collect(root, site, '', new Set())).map(({ path }) => path);
}

test('packages a directory once on each path of links, by whatever names they go through', async () => {
  expect(await pathsOf({ 0: { self: '.', b: 'self', c: 'self', d: 'self' } })).toEqual(['site/linked/a.txt']);
});

test('refuses directories whose links to each other have more paths than a release may have files', async () => {
  const names = [...'01234567'];
  const links = Object.fromEntries(names.map((name) => [name, `../${name}`]));
  await expect(pathsOf(Object.fromEntries(names.map((name) => [name, links])))).rejects.toThrow(
    'The links in "site" point to more than 65,000 files and directories: package directories without links.',
  );
});
