import { expect, test } from 'vitest';
import { parseManifest } from '../../providers/builds/detection/manifest.ts';
import { packagesBelow } from '../detect/packages.ts';
import { resolveBuildCommand } from './build-command.ts';

test.each([
  ['npm run build', 'pnpm run build'],
  ['npm run export', 'npm run export'],
])(
  'runs the script of a framework’s default with the repository’s package manager, and what was set as it is: %s',
  (set, expected) => {
    const manifest = parseManifest('{"dependencies":{"next":"16"},"scripts":{"build":"next build","export":"x"}}');
    const settings = { framework: 'NEXTJS', buildCommand: set } as const;
    expect(resolveBuildCommand(settings, manifest, packagesBelow('/absent', manifest), 'pnpm')).toBe(expected);
  },
);

test.each([
  ['NEXTJS', 'npm run build', 'next'],
  ['NODE', null, 'vite'],
] as const)('runs a framework’s own command with pnpm where pnpm installs: %s, %s', (framework, buildCommand, name) => {
  const manifest = parseManifest(JSON.stringify({ dependencies: { [name]: '1' } }));
  const command = (runner: string) =>
    resolveBuildCommand({ framework, buildCommand }, manifest, packagesBelow('/absent', manifest), runner);
  expect([command('pnpm'), command('bun'), command('npm')]).toEqual([
    `pnpm exec ${name} build`,
    `bunx ${name} build`,
    `npx ${name} build`,
  ]);
});

test('runs a script that is empty, which does nothing', () => {
  const manifest = parseManifest('{"scripts":{"build":" ","start":"node app.js"}}');
  for (const buildCommand of [null, 'npm run build'])
    expect(resolveBuildCommand({ framework: 'NODE', buildCommand }, manifest, packagesBelow('/absent', manifest))).toBe(
      'npm run build',
    );
});
