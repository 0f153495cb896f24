import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { parseManifest } from '../../providers/builds/detection/manifest.ts';
import type { BuiltApplication } from './built-application.ts';
import { findStart } from './start.ts';
import { application, NEXT, removeApplications } from './test-applications.ts';

afterEach(removeApplications);

test.each<[string, ReturnType<typeof application> | (() => BuiltApplication), string | RegExp]>([
  ['main outside', () => application({ main: '../outside.js' }), 'package.json names no other'],
  [
    'a start file that was set',
    () => application({ main: 'app.js' }, ['app.js'], { startFile: 'index.js' }),
    'The start file "index.js" was not found after the build.',
  ],
  [
    'a build that did not make it',
    () => application({ scripts: { build: 'tsc', start: 'node dist/a.js' } }),
    /neither was "dist\/a\.js", which the start script names: check that the build creates it\.$/,
  ],
  [
    'a build that nothing names',
    () => application({ scripts: { start: 'node dist/a.js' } }),
    /which the start script names: set buildCommand to the command that creates it, or add a build script\.$/,
  ],
  [
    'a script for production whose file is not there',
    () => application({ scripts: { 'start:prod': 'node dist/main' } }),
    /neither was "dist\/main", which the script start:prod names: set buildCommand to the command/,
  ],
  [
    'a script for production whose file is not there, beside one for development',
    () => application({ scripts: { build: 'tsc', start: 'vite', startProd: 'cd api && node dist/main' } }),
    /neither was "api\/dist\/main", which the script startProd names: check that the build creates it\.$/,
  ],
  [
    'a build that was not run',
    () => ({ ...application({ scripts: { build: 'tsc', start: 'node dist/a.js' } }), buildCommand: null }),
    'the build script of package.json was not run',
  ],
  [
    'a worker',
    () => application({}, { Procfile: 'worker: node jobs.js' }),
    'The Procfile has a worker and no web process',
  ],
  ['Next.js without standalone', () => application(undefined, ['.next/BUILD_ID'], NEXT), "set output: 'standalone'"],
  [
    'SvelteKit without an adapter',
    () => application({ devDependencies: { '@sveltejs/kit': '2' } }),
    '@sveltejs/adapter-node',
  ],
  [
    'TanStack Start without a server',
    () => application({ dependencies: { '@tanstack/react-start': '1' }, scripts: { build: 'vite build' } }),
    'add nitro() of the package nitro to the plugins of vite.config, or the package srvx',
  ],
  [
    'RedwoodSDK, as generated',
    () =>
      application({
        dependencies: { rwsdk: '1' },
        devDependencies: { '@cloudflare/vite-plugin': '1', vite: '7', wrangler: '4' },
        scripts: { build: 'vite build', dev: 'vite dev' },
      }),
    ': the project is made for Cloudflare Workers (wrangler), and a release runs Node. Add a server for Node,',
  ],
  [
    'Hono for Cloudflare Workers, as generated',
    () =>
      application({
        dependencies: { hono: '4' },
        devDependencies: { wrangler: '4' },
        scripts: { dev: 'wrangler dev', deploy: 'wrangler deploy --minify' },
      }),
    'made for Cloudflare Workers (wrangler)',
  ],
  ['SolidStart without nitro', () => application({ dependencies: { '@solidjs/start': '2' } }), 'nitro()'],
  [
    'Qwik City without an adapter, as generated',
    () =>
      application({ devDependencies: { '@builder.io/qwik-city': '1' }, scripts: { start: 'vite --open --mode ssr' } }),
    'run "npm run qwik add"',
  ],
  [
    'Qwik City with an adapter, whose server was not built',
    () =>
      application({
        devDependencies: { '@builder.io/qwik-city': '1' },
        scripts: { start: 'node server/entry.express.js' },
      }),
    'neither was "server/entry.express.js", which the start script names',
  ],
  ['Deno', () => application(undefined, ['deno.jsonc', 'main.ts']), /^This is a Deno project: /],
  [
    'Python with style sheets',
    () => application({ devDependencies: { tailwindcss: '4' } }, ['pyproject.toml']),
    /^This is a Python/,
  ],
  [
    'a file that is started for development alone',
    () => application({ scripts: { dev: 'tsx watch src/a.ts' } }, ['src/a.ts']),
    'or add a start script such as "node --import tsx src/a.ts".',
  ],
  ...[
    'stencil build --dev --watch --serve',
    'brunch watch --server',
    'polymer serve',
    'sapper dev',
    'docusaurus-start',
  ].map((start): [string, () => BuiltApplication, string] => [
    `another development server: ${start}`,
    () => application({ scripts: { start } }),
    `, and the start script "${start}" is a development server: set startCommand.`,
  ]),
  ...['tsc -w', 'tsdx watch', 'tsc --watch --preserveWatchOutput', 'esbuild a.ts --watch', 'tsup src --watch'].map(
    (start): [string, () => BuiltApplication, string] => [
      `a build that runs again: ${start}`,
      () => application({ scripts: { start } }),
      `, and the start script "${start}" is a development server: set startCommand.`,
    ],
  ),
  ['a development script', () => application({ scripts: { dev: 'tsx src/a.ts' } }), 'such as "node app.js".'],
  ['scripts alone', () => application(undefined, ['tool.ts']), ', and there is no package.json: set startFile or'],
  [
    'the build of Next.js in another directory',
    () => application({ dependencies: { next: '16' } }, ['build/web/BUILD_ID', 'build/web/standalone/server.js']),
    ': next.config sets distDir to "build/web". Remove it, so that the build is in .next.',
  ],
  [
    'the build of Next.js in packages of a monorepo, among which only the owner can choose',
    () =>
      application(
        { dependencies: { next: '16' } },
        ['admin', 'web'].flatMap((name) => [
          `apps/${name}/.next/BUILD_ID`,
          `apps/${name}/.next/standalone/apps/${name}/server.js`,
        ]),
      ),
    ', and the build created several servers: set startFile to apps/admin/.next/standalone/apps/admin/server.js or apps/web/',
  ],
  [
    'the build of Next.js in a package of a monorepo, without a server',
    () => application({ dependencies: { next: '16' } }, ['apps/web/.next/BUILD_ID', 'apps/web/out/index.html']),
    /: set output: 'standalone' in next\.config, so that the build creates it\. There is an index\.html in apps\/web\/out:/,
  ],
  [
    'the build of Next.js in another hidden directory',
    () => application({ dependencies: { next: '16' } }, ['.web/BUILD_ID']),
    ': next.config sets distDir to ".web". Remove it',
  ],
  [
    'one of several servers',
    () => application({ scripts: { start: 'npx concurrently "node a.js" "node b.js"' } }),
    'and a release starts only one of the programs of the start script "npx concurrently "node a.js" "node b.js"": set startCommand to the one',
  ],
  ['a development server', () => application({ scripts: { start: 'vite' } }), 'is a development server'],
  [
    'a site in a directory of another name',
    () =>
      application({ devDependencies: { vite: '8' }, scripts: { start: 'vite' } }, [
        'index.html',
        'build/web app/index.html',
        'build/web app/about/index.html',
        'node_modules/x/index.html',
        '.cache/x/index.html',
      ]),
    `is a development server: set startCommand. There is an index.html in build/web app: to serve a static site, set startCommand to "serve 'build/web app'".`,
  ],
  [
    'a site of a framework that also makes servers',
    () => application({ dependencies: { astro: '6' } }, ['a/index.html', 'b/c/index.html']),
    'There is an index.html in a and b/c: to serve a static site, set startCommand to "serve a" or "serve b/c".',
  ],
  [
    'a server beside files',
    () => application({ scripts: { build: 'tsc', start: 'node dist/a.js' } }, ['client/index.html']),
    /which the start script names: check that the build creates it\.$/,
  ],
  [
    'a configuration of pm2 for a file that is not there',
    () =>
      application(
        { scripts: { start: 'pm2 start ecosystem.config.js' } },
        { 'ecosystem.config.js': '{ script: "a.js" }' },
      ),
    ', and the first program of "ecosystem.config.js" names no file that exists: set startCommand to the command',
  ],
  [
    'the directory of a start script',
    () => application({ scripts: { start: 'serve -s web' } }, ['other/index.html']),
    'neither was "web", which the start script names: set buildCommand to the command that creates it, or add a build script. There is an index.html in other:',
  ],
  [
    'the directory of a start command',
    () => application({}, ['other/index.html'], { startCommand: 'npx serve -s web' }),
    'The directory "web" of the start command was not found after the build. There is an index.html in other: to serve a static site',
  ],
  [
    'a directory above, of a start command',
    () => application({}, [], { startCommand: 'serve ../web' }),
    /^The directory "\.\.\/web" of the start command was not found after the build\.$/,
  ],
])('names what is missing: %s', (_what, app, error) => {
  expect(() => findStart(typeof app === 'function' ? app() : app)).toThrow(error);
});

test.each<[manifest: object, files: Record<string, string>, expected: string]>([
  [
    { workspaces: ['apps/*', 'packages/*'] },
    {},
    ': if a package of the repository is the application, set rootDirectory to apps/api or apps/web.',
  ],
  [{}, { 'pnpm-workspace.yaml': 'packages:\n  - apps/*\n' }, 'set rootDirectory to apps/api or apps/web.'],
  [{ workspaces: ['apps/*'], scripts: { start: 'vite' } }, {}, 'set rootDirectory to apps/api or apps/web.'],
  [{ workspaces: ['packages/*'] }, {}, 'package.json names no other: set startFile or startCommand, or add'],
  [{}, {}, 'set rootDirectory to apps/api or apps/web.'],
  [{ dependencies: { express: '5' } }, {}, 'package.json names no other: set startFile or startCommand, or add'],
])('names the applications of a monorepo: %j, %j', (manifest, files, expected) => {
  const packages = {
    'apps/api/package.json': JSON.stringify({ name: 'api', scripts: { start: 'node dist/index.js' } }),
    'apps/web/package.json': JSON.stringify({ name: 'web', dependencies: { astro: '6' } }),
    'apps/web/node_modules/astro/package.json': JSON.stringify({ name: 'astro', scripts: { start: 'x' } }),
    'test/broken/package.json': '{',
    'packages/utils/package.json': JSON.stringify({ name: 'utils', scripts: { build: 'tsc' } }),
  };
  expect(() => findStart(application(manifest, { ...packages, ...files }))).toThrow(expected);
});

test('says how Nx builds a package that no script builds', () => {
  const repository = application({}, { 'nx.json': '{}', 'apps/api/src/main.ts': '' });
  const manifest = parseManifest('{"name":"@nx/api","dependencies":{"express":"5"}}');
  const app = { ...repository, manifest, directory: join(repository.directory, 'apps/api') };
  expect(() => findStart(app)).toThrow(
    'package.json names no other: set the build command to "npx nx build @nx/api" if the monorepo\'s tool builds it',
  );
});

test('names what is missing without the start file of a framework that the application does not use', () => {
  const failure = (manifest: object) => () => findStart(application(manifest, [], NEXT));
  const nothing = 'Nothing that starts the application was found after the build';
  expect(failure({ scripts: { start: 'node dist/a.js' } })).toThrow(
    `${nothing}, and the start script names "dist/a.js", which is not there: set buildCommand to the command that creates it, or add a build script.`,
  );
  expect(failure({})).toThrow(`${nothing}, and package.json names nothing: set startFile`);
  expect(failure({ dependencies: { next: '16' } })).toThrow(`The start file "${NEXT.startFile}" was not found`);
});
