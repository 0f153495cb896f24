import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { nodeFile } from '../detect/existing-start.ts';
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

test('packages the whole repository with a handler beside a site, because it uses packages', async () => {
  root = mkdtempSync(join(tmpdir(), 'tree-'));
  mkdirSync(join(root, 'client'));
  for (const file of ['client/a.css', 'server.js']) writeFileSync(join(root, file), '');
  const site = { kind: 'export', directory: '', module: 'server.js', files: 'client' } as const;
  const items = await collect(root, site, '', new Set());
  expect(items.map(({ path }) => path).sort()).toEqual(['client/a.css', 'server.js']);
});

test('packages only the server of Next.js that a package of the repository built, with its styles, scripts and public files', async () => {
  root = mkdtempSync(join(tmpdir(), 'tree-'));
  const server = 'apps/web/.next/standalone/apps/web';
  for (const file of [`${server}/server.js`, 'apps/web/.next/static/a.css', 'apps/web/public/a.txt', 'public/b.txt']) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  const items = await collect(root, nodeFile(`${server}/server.js`), '', new Set());
  expect(items.map(({ path }) => path)).toEqual([
    `${server}/.next/static/a.css`,
    `${server}/public/a.txt`,
    `${server}/server.js`,
  ]);
});

test('refuses directories whose links to each other have more paths than a release may have files', async () => {
  const names = [...'01234567'];
  const links = Object.fromEntries(names.map((name) => [name, `../${name}`]));
  await expect(pathsOf(Object.fromEntries(names.map((name) => [name, links])))).rejects.toThrow(
    'The links in "site" point to more than 65,000 files and directories: package directories without links.',
  );
});

test('packages what links lead to in other directories of the repository, with links that hold in the artifact', async () => {
  root = mkdtempSync(join(tmpdir(), 'tree-'));
  for (const directory of ['api/node_modules', 'shared/lib', 'shared/.git'])
    mkdirSync(join(root, directory), { recursive: true });
  for (const file of ['api/a.js', 'shared/lib/b.js', 'shared/.git/config']) writeFileSync(join(root, file), '');
  symlinkSync('../../shared', join(root, 'api/node_modules/shared'));
  symlinkSync('../../api/a.js', join(root, 'shared/lib/a.js'));
  symlinkSync('.', join(root, 'api/self'));
  const shell = { kind: 'shell', directory: '', command: 'x' } as const;
  const collected = await collect(join(root, 'api'), shell, '', new Set(), root);
  expect(collected.map(({ path, link }) => [path, link])).toEqual([
    ['a.js', undefined],
    ['node_modules/shared/lib/a.js', '../../../a.js'],
    ['node_modules/shared/lib/b.js', undefined],
    ['self', '.'],
  ]);
  symlinkSync('/etc', join(root, 'shared/lib/etc'));
  await expect(collect(join(root, 'api'), shell, '', new Set(), root)).rejects.toThrow(
    'The link "node_modules/shared/lib/etc" points out of the repository, to /etc.',
  );
});
