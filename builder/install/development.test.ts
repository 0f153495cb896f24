import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { parseManifest } from '../../providers/builds/detection/manifest.ts';
import { developmentPackages, unreachedPackages } from './development.ts';
import { readManifest } from './manifest.ts';

let directory: string;
afterEach(() => rmSync(directory, { recursive: true }));

type Tree = Record<string, object | string>;
const link = (to: string) => ({ to });

/** Creates a repository with these files and links and returns its development packages. */
function leftOut(manifest: object, tree: Tree, imported: string[] = []): string[] {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'development-')));
  for (const [path, content] of Object.entries({ 'package.json': manifest, ...tree })) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    if (typeof content === 'object' && 'to' in content) symlinkSync(String(content.to), file);
    else writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return [...developmentPackages(directory, parseManifest(JSON.stringify(manifest)), imported)].sort();
}

const manifest = { dependencies: { kept: '1', '@scope/kept': '1' }, devDependencies: { tool: '1' } };

test.each(['.yarn-integrity', '.yarn-state.yml', '../bun.lock', '../bun.lockb'])(
  'excludes the development packages of Yarn and Bun (%s)',
  (mark) => {
    const packages = {
      [`node_modules/${mark}`]: '',
      'node_modules/kept/package.json': { dependencies: { deep: '1' }, peerDependencies: { peer: '1' } },
      'node_modules/kept/node_modules/deep/package.json': { dependencies: { deeper: '1', absent: '1' } },
      'node_modules/@scope/kept/package.json': { optionalDependencies: { '@scope/optional': '1' } },
      'node_modules/@scope/optional/package.json': {},
      'node_modules/@scope/tool/package.json': {},
      'node_modules/deeper/package.json': '\ufeff{"dependencies":{"below":"1"}}',
      'node_modules/below/package.json': {},
      'node_modules/peer/package.json': 'no JSON',
      'node_modules/tool/package.json': { dependencies: { deep: '2', peer: '1' } },
      'node_modules/deep/package.json': {},
    };
    expect(leftOut(manifest, packages)).toEqual(['node_modules/@scope/tool', 'node_modules/deep', 'node_modules/tool']);
  },
);

test.each([
  ['pnpm', '.pnpm', 'node_modules/.modules.yaml'],
  ['Bun', '.bun', 'bun.lock'],
])('excludes the development packages of %s by following its links', (_name, directory, mark) => {
  const store = `node_modules/${directory}`;
  const to = (path: string) => link(path.replace('.pnpm', directory));
  const packages = {
    [mark]: '',
    'node_modules/kept': to('.pnpm/kept@1/node_modules/kept'),
    'node_modules/@scope/kept': to('../.pnpm/@scope+kept@1/node_modules/@scope/kept'),
    'node_modules/tool': to('.pnpm/tool@1/node_modules/tool'),
    [`${store}/kept@1/node_modules/kept/package.json`]: { dependencies: { deep: '1' } },
    [`${store}/kept@1/node_modules/deep`]: link('../../deep@1/node_modules/deep'),
    [`${store}/@scope+kept@1/node_modules/@scope/kept/package.json`]: {},
    [`${store}/deep@1/node_modules/deep/package.json`]: {},
    [`${store}/deep@2/node_modules/deep/package.json`]: {},
    [`${store}/tool@1/node_modules/tool/package.json`]: { dependencies: { deep: '2', kept: '1' } },
    [`${store}/tool@1/node_modules/deep`]: link('../../deep@2/node_modules/deep'),
    [`${store}/tool@1/node_modules/kept`]: link('../../kept@1/node_modules/kept'),
    [`${store}/node_modules/deep`]: link('../deep@2/node_modules/deep'),
  };
  expect(leftOut(manifest, packages)).toEqual([`${store}/deep@2`, `${store}/tool@1`, 'node_modules/tool']);
});

test.each(['node_modules/.yarn-integrity', 'bun.lock'])(
  'excludes nothing for a package of a workspace (%s)',
  (mark) => {
    // `manifest` is that of the package, which does not name the workspaces.
    const tree = { [mark]: '', 'package.json': { workspaces: ['apps/*'] }, 'node_modules/tool/package.json': {} };
    expect(leftOut(manifest, tree)).toEqual([]);
  },
);

test('excludes nothing in a workspace or if the package manager is unknown', () => {
  const packages = { 'node_modules/tool/package.json': {}, 'node_modules/vendored/package.json': {} };
  expect(leftOut(manifest, packages)).toEqual([]);
  rmSync(directory, { recursive: true });
  expect(
    leftOut({ ...manifest, workspaces: ['packages/*'] }, { ...packages, 'node_modules/.yarn-integrity': '' }),
  ).toEqual([]);
});

test('keeps all packages of a pnpm workspace, whose parts have dependencies of their own', () => {
  const packages = { 'node_modules/.modules.yaml': '', 'node_modules/tool/package.json': {} };
  expect(leftOut(manifest, packages)).toEqual(['node_modules/tool']);
  rmSync(directory, { recursive: true });
  expect(leftOut(manifest, { ...packages, 'pnpm-workspace.yaml': 'packages:\n  - apps/*\n' })).toEqual([]);
});

test('names what an application of a pnpm workspace does not reach', () => {
  const store = 'node_modules/.pnpm';
  const stored = (name: string, manifest: object) => ({
    [`${store}/${name}@1/node_modules/${name}/package.json`]: manifest,
  });
  const linked = (from: string, name: string) => ({
    [`${from}/node_modules/${name}`]: link(
      `${'../'.repeat(from.split('/').length + 1)}${store}/${name}@1/node_modules/${name}`,
    ),
  });
  const api = { dependencies: { ours: '*', kept: '1' }, devDependencies: { tsx: '1', vitest: '1' } };
  leftOut(
    { devDependencies: { turbo: '1' }, dependencies: { ofRoot: '1' } },
    {
      'pnpm-workspace.yaml': 'packages:\n  - "*"\n',
      'api/package.json': api,
      'ours/package.json': { dependencies: { deep: '1' }, devDependencies: { vitest: '1' } },
      'api/node_modules/ours': link('../../ours'),
      'node_modules/turbo': link('.pnpm/turbo@1/node_modules/turbo'),
      'node_modules/ofRoot': link('.pnpm/ofRoot@1/node_modules/ofRoot'),
      ...linked('api', 'kept'),
      ...linked('api', 'tsx'),
      ...linked('api', 'vitest'),
      ...linked('ours', 'deep'),
      ...linked('ours', 'vitest'),
      ...Object.assign(
        {},
        ...['kept', 'deep', 'tsx', 'vitest', 'turbo', 'ofRoot', 'next'].map((each) => stored(each, {})),
      ),
    },
  );
  const unreached = unreachedPackages(
    directory,
    join(directory, 'api'),
    readManifest(join(directory, 'api')),
    'tsx a.ts',
  );
  expect([...unreached].sort()).toEqual(['next', 'turbo', 'vitest'].map((each) => `${store}/${each}@1`));
});

test.each(['node_modules/.package-lock.json', 'node_modules/.yarn-integrity'])(
  'keeps development packages that a server imports, with what they need (%s)',
  (mark) => {
    const packages = ['tool', 'deep', 'other'].map((name) => [`node_modules/${name}`, { dev: true }]);
    const tree = {
      [mark]: {
        packages: Object.fromEntries([...packages, ['node_modules/kept', {}], ['node_modules/absent', { dev: true }]]),
      },
      'node_modules/kept/package.json': {},
      'node_modules/tool/package.json': { dependencies: { deep: '1' } },
      'node_modules/deep/package.json': {},
      'node_modules/other/package.json': {},
    };
    const left = ['node_modules/deep', 'node_modules/other', 'node_modules/tool'];
    const isAbsent = (path: string) => path === 'node_modules/absent';
    expect(leftOut(manifest, tree).filter((path) => !isAbsent(path))).toEqual(left);
    rmSync(directory, { recursive: true });
    expect(leftOut(manifest, tree, ['tool']).filter((path) => !isAbsent(path))).toEqual(['node_modules/other']);
  },
);
