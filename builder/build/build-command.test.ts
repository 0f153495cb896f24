import { expect, test } from 'vitest';
import { parseManifest } from '../../providers/builds/detection/manifest.ts';
import { resolveBuildCommand } from './build-command.ts';

test.each([
  ['npm run build', 'pnpm run build'],
  ['npm run export', 'npm run export'],
])(
  'runs the script of a framework’s default with the repository’s package manager, and what was set as it is: %s',
  (set, expected) => {
    const manifest = parseManifest('{"dependencies":{"next":"16"},"scripts":{"build":"next build","export":"x"}}');
    const settings = { framework: 'NEXTJS', buildCommand: set } as const;
    expect(resolveBuildCommand(settings, manifest, { runner: 'pnpm' })).toBe(expected);
  },
);

test.each([
  ['NEXTJS', 'npm run build', 'next'],
  ['NODE', null, 'vite'],
] as const)('runs a framework’s own command with pnpm where pnpm installs: %s, %s', (framework, buildCommand, name) => {
  const manifest = parseManifest(JSON.stringify({ dependencies: { [name]: '1' } }));
  const command = (runner: string) => resolveBuildCommand({ framework, buildCommand }, manifest, { runner });
  expect([command('pnpm'), command('bun'), command('npm')]).toEqual([
    `pnpm exec ${name} build`,
    `bunx ${name} build`,
    `npx ${name} build`,
  ]);
});

test.each<[what: string, app: object, root: object | undefined, expected: string | null]>([
  [
    'the root of a workspace of Nx',
    { dependencies: { '@nestjs/core': '11' }, devDependencies: { nx: '23' } },
    undefined,
    'npx nx run-many -t build',
  ],
  [
    'its build script',
    { scripts: { build: 'nx build api' }, devDependencies: { nx: '23' } },
    undefined,
    'npm run build',
  ],
  [
    'a package of the workspace',
    { name: '@acme/api' },
    { devDependencies: { nx: '23' } },
    'npx nx run-many -t build -p @acme/api',
  ],
  [
    'a package with a framework',
    { name: 'web', dependencies: { vite: '7' } },
    { devDependencies: { nx: '23' } },
    'npx vite build',
  ],
  ['a package without a name', {}, { devDependencies: { nx: '23' } }, null],
  ['a configuration of Nx without Nx', { name: 'a' }, { dependencies: {} }, null],
])('builds with Nx where nothing else builds: %s', (_what, app, root, expected) => {
  const manifest = parseManifest(JSON.stringify(app));
  const around = {
    runner: 'npm',
    root: root === undefined ? manifest : parseManifest(JSON.stringify(root)),
    isRoot: root === undefined,
    hasFile: (name: string) => name === 'nx.json',
  };
  for (const settings of [
    { framework: 'NODE', buildCommand: null },
    { framework: 'NEXTJS', buildCommand: 'npm run build' },
  ] as const)
    expect(resolveBuildCommand(settings, manifest, around)).toBe(expected);
});

test.each<[what: string, app: object, root: object, expected: string | null]>([
  [
    'its own',
    { dependencies: { '@nestjs/core': '11' }, devDependencies: { '@nestjs/cli': '11' } },
    {},
    'npx nest build',
  ],
  [
    'that of the repository',
    { dependencies: { '@nestjs/core': '11' } },
    { devDependencies: { '@nestjs/cli': '11' } },
    'npx nest build',
  ],
  ['none', { dependencies: { '@nestjs/core': '11' } }, {}, null],
  ['none, for Angular', { dependencies: { '@angular/core': '20' } }, {}, null],
  ['none, for React Router', { dependencies: { '@react-router/node': '7' } }, {}, null],
])('runs the command of a framework only with the package that provides it: %s', (_what, app, root, expected) => {
  const manifest = parseManifest(JSON.stringify(app));
  const around = { runner: 'npm', root: parseManifest(JSON.stringify(root)), isRoot: false };
  const settings = { framework: 'NODE', buildCommand: null } as const;
  expect(resolveBuildCommand(settings, manifest, around)).toBe(expected);
});

test('runs a script that is empty, which does nothing', () => {
  const manifest = parseManifest('{"scripts":{"build":" ","start":"node app.js"}}');
  for (const buildCommand of [null, 'npm run build'])
    expect(resolveBuildCommand({ framework: 'NODE', buildCommand }, manifest, { runner: 'npm' })).toBe('npm run build');
});
