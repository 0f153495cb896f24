import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { layoutOf } from './layout.ts';

let root: string;
afterEach(() => rmSync(root, { recursive: true }));

/** Returns where the dependencies of `apps/web` are installed. */
function installedIn(files: Record<string, string | object>): string {
  root = mkdtempSync(join(tmpdir(), 'layout-'));
  const own = { dependencies: { a: '1' } };
  for (const [path, content] of Object.entries({ 'apps/web/package.json': own, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return layoutOf(root, 'apps/web').install.slice(root.length + 1);
}

test.each<[what: string, workspaces: string[]]>([
  ['alternatives', ['{a,b}'.repeat(10)]],
  ['numbers', ['{1..5000}']],
  ['letters', ['{a..z}/{a..z}']],
  ['alternatives in others', ['{{a,b},{c,d}}'.repeat(5)]],
  ['numbers that end in alternatives', ['{1..{8,9}00000000}']],
  ['several patterns', Array.from({ length: 20 }, (_, at) => `{1..100}/${at}`)],
  ['empty braces in others', ['{'.repeat(500_000) + '}'.repeat(500_000)]],
])('patterns of workspaces that expand to too many paths are their owner’s failure: %s', (_, workspaces) => {
  expect(() => installedIn({ 'package.json': { workspaces } })).toThrow(/expand to more than 1000 paths/);
});

test.each([
  ['its own name', { 'package.json': { workspaces: ['packages/*', './apps/web'] } }],
  ['a pattern', { 'package.json': { workspaces: ['apps/*/'] } }],
  ['a deep pattern', { 'package.json': { workspaces: ['{apps,packages}/**', '!apps/api'] } }],
  ['an object', { 'package.json': { workspaces: { packages: ['apps/*'], nohoist: ['x'] } } }],
  ['pnpm', { 'pnpm-workspace.yaml': "# all\npackages:\n  # ours\n  - 'apps/*' # web\n\n  - docs\ncatalog:\n  a: 1\n" }],
  ['pnpm, in one line', { 'pnpm-workspace.yaml': 'packages: ["docs", "apps/*"]\n' }],
  ['pnpm, in one line with braces', { 'pnpm-workspace.yaml': "packages: ['docs', '{apps,libs}/*']\n" }],
  ['included again', { 'package.json': { workspaces: ['apps/*', '!apps/*', 'apps/web'] } }],
  [
    'without dependencies of its own',
    {
      'package.json': { workspaces: ['packages/*'], dependencies: { express: '5' } },
      'apps/web/package.json': { scripts: { start: 'node server.js' } },
    },
  ],
  ['pnpm, with a quoted name', { 'pnpm-workspace.yaml': '"packages":\n  - apps/*\n' }],
  ['pnpm, with a list in a form of its own', { 'pnpm-workspace.yaml': 'packages: &all\n  [apps/web]\n' }],
])('a workspace of the repository is installed with it: %s', (_what, files) => {
  expect(installedIn(files)).toBe('');
});

test.each([
  ['no workspaces', { 'package.json': {} }],
  ['a lockfile of its own', { 'package.json': { workspaces: ['apps/*'] }, 'apps/web/package-lock.json': {} }],
  ['other workspaces', { 'package.json': { workspaces: ['packages/*'] } }],
  ['an exception', { 'package.json': { workspaces: ['apps/*', '!apps/web'] } }],
  ['settings of pnpm alone', { 'pnpm-workspace.yaml': 'onlyBuiltDependencies:\n  - sharp\n' }],
  ['other workspaces of pnpm', { 'pnpm-workspace.yaml': 'packages:\n- packages/*\n- "!apps/web"\n' }],
])('a directory that is no workspace of the repository is installed on its own: %s', (_what, files) => {
  expect(installedIn(files)).toBe('apps/web');
});
