import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createRedactor } from '../../providers/builds/redaction.ts';
import { dependencyKey } from './dependencies.ts';
import { finishInstall, install, planInstall } from './install.ts';
import { readManifest } from './manifest.ts';
import { withTool } from './tools.ts';

const roots: string[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** Creates a directory with these files. */
function directoryOf(files: Record<string, string | object>): string {
  const directory = mkdtempSync(join(tmpdir(), 'install-'));
  roots.push(directory);
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return directory;
}

function plan(files: Record<string, string | object>, command = 'npm ci') {
  const directory = directoryOf({ 'package.json': { dependencies: { a: '1' } }, ...files });
  return planInstall(command, directory, readManifest(directory));
}

test.each<[string, Record<string, string | object>, string, string | undefined]>([
  ['npm', { 'package-lock.json': {} }, 'npm ci', undefined],
  ['npm, its older name', { 'npm-shrinkwrap.json': {} }, 'npm ci', undefined],
  ['none', {}, 'npm install', undefined],
  ['pnpm', { 'pnpm-lock.yaml': "lockfileVersion: '9.0'\n" }, 'pnpm install --frozen-lockfile', 'pnpm@10'],
  ['an older pnpm', { 'pnpm-lock.yaml': "lockfileVersion: '6.0'\n" }, 'pnpm install --frozen-lockfile', 'pnpm@8'],
  ...(
    [
      ['9.x', 'pnpm@9'],
      ['~9.15.0', 'pnpm@~9.15.0'],
      ['>=8', 'pnpm@10'],
      ['^8 || ^9', 'pnpm@9'],
      ['none', 'pnpm@10'],
    ] as const
  ).map(
    ([pnpm, tool]) =>
      [
        `the pnpm that package.json requires: ${pnpm}`,
        {
          'package.json': { dependencies: { a: '1' }, engines: { pnpm } },
          'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
        },
        'pnpm install --frozen-lockfile',
        tool,
      ] as [string, Record<string, string | object>, string, string],
  ),
  [
    'a pnpm to come',
    { 'pnpm-lock.yaml': "lockfileVersion: '12.0'\n" },
    'pnpm install --frozen-lockfile',
    'pnpm@latest',
  ],
  [
    'a pnpm to come, which package.json allows',
    {
      'package.json': { dependencies: { a: '1' }, engines: { pnpm: '>=8' } },
      'pnpm-lock.yaml': "lockfileVersion: '12.0'\n",
    },
    'pnpm install --frozen-lockfile',
    'pnpm@latest',
  ],
  [
    'Yarn 1',
    { 'yarn.lock': '# yarn lockfile v1\n' },
    'yarn install --non-interactive --frozen-lockfile',
    'yarn@1.22.22',
  ],
  [
    'Yarn 2 and later',
    { 'yarn.lock': '# x\n\n__metadata:\n  version: 8\n' },
    'yarn install --immutable',
    '@yarnpkg/cli-dist@4',
  ],
  [
    'Yarn 3',
    { 'yarn.lock': '# x\n\n__metadata:\n  version: 6\n  cacheKey: 8\n' },
    'yarn install --immutable',
    '@yarnpkg/cli-dist@3',
  ],
  [
    'Yarn 4 without a lockfile',
    { 'package.json': { dependencies: { a: '1' }, packageManager: 'yarn@4.9.2' } },
    'yarn install --no-immutable',
    '@yarnpkg/cli-dist@4.9.2',
  ],
  [
    'the version that package.json names',
    { 'package.json': { dependencies: { a: '1' }, packageManager: 'pnpm@9.15.0+sha512.abc' }, 'pnpm-lock.yaml': '' },
    'pnpm install --frozen-lockfile',
    'pnpm@9.15.0',
  ],
  [
    'the version that package.json is developed with',
    {
      'package.json': {
        dependencies: { a: '1' },
        devEngines: { packageManager: { name: 'pnpm', version: '12.21.0', onFail: 'download' } },
      },
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
    },
    'pnpm install --frozen-lockfile',
    'pnpm@12.21.0',
  ],
  [
    'the newest version that package.json is developed with',
    {
      'package.json': { dependencies: { a: '1' }, devEngines: { packageManager: [{ name: 'pnpm', version: '^12' }] } },
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
    },
    'pnpm install --frozen-lockfile',
    'pnpm@12',
  ],
  [
    'the manager that package.json is developed with, in no version',
    { 'package.json': { dependencies: { a: '1' }, devEngines: { packageManager: { name: 'yarn' } } }, 'yarn.lock': '' },
    'yarn install --non-interactive',
    'yarn@1.22.22',
  ],
  [
    'of two lockfiles that of the manager that package.json names',
    {
      'package.json': { dependencies: { a: '1' }, packageManager: 'yarn@4.5.0' },
      'package-lock.json': {},
      'yarn.lock': '\n__metadata:\n',
    },
    'yarn install --immutable',
    '@yarnpkg/cli-dist@4.5.0',
  ],
  ['Bun', { 'bun.lock': '{}' }, 'bun install --frozen-lockfile', 'bun@1'],
  ['Bun with its earlier, binary lockfile', { 'bun.lockb': '' }, 'bun install --frozen-lockfile', 'bun@1'],
  [
    'the Bun that package.json names',
    { 'package.json': { dependencies: { a: '1' }, packageManager: 'bun@1.2.19' }, 'bun.lock': '{}' },
    'bun install --frozen-lockfile',
    'bun@1.2.19',
  ],
  [
    'the range of Bun that package.json is developed with, without a lockfile',
    { 'package.json': { dependencies: { a: '1' }, devEngines: { packageManager: { name: 'bun', version: '^1.3' } } } },
    'bun install',
    'bun@^1.3',
  ],
  [
    'npm for one that is unknown',
    { 'package.json': { dependencies: { a: '1' }, packageManager: 'deno@2.1.0' } },
    'npm install',
    undefined,
  ],
])('selects the package manager of the lockfile: %s', (_name, files, command, tool) => {
  const planned = plan(files);
  expect(planned.command).toBe(command);
  expect(planned.manager?.tool).toBe(tool);
  expect(planned.note).toEqual(
    /^(npm|bun) install$|--no-immutable/.test(command) ? expect.stringContaining('commit one') : undefined,
  );
});

test('installs a pnpm workspace whose root has no dependencies of its own', () => {
  const root = { 'package.json': { packageManager: 'pnpm@10.12.0' } };
  expect(plan(root).nothing).toBe('package.json names no dependencies');
  expect(plan({ ...root, 'pnpm-workspace.yaml': 'packages:\n  - apps/*\n' })).toMatchObject({
    command: 'pnpm install',
    nothing: undefined,
  });
});

test('installs a directory below settings of pnpm on its own', () => {
  const repository = directoryOf({ 'pnpm-workspace.yaml': 'onlyBuiltDependencies:\n  - sharp\n' });
  const app = join(repository, 'web');
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), JSON.stringify({ dependencies: { a: '1' } }));
  writeFileSync(join(app, 'pnpm-lock.yaml'), "lockfileVersion: '9.0'\n");
  const command = () => planInstall('npm ci', app, readManifest(app)).command;
  expect(command()).toBe('pnpm install --ignore-workspace --frozen-lockfile');
  // A package of a workspace takes the settings of it, also with a lockfile of its own.
  writeFileSync(join(repository, 'pnpm-workspace.yaml'), 'packages: [web]\nsharedWorkspaceLockfile: false\n');
  expect(command()).toBe('pnpm install --frozen-lockfile');
});

test('runs a custom command unchanged, with the package manager that it names', () => {
  expect(plan({ 'pnpm-lock.yaml': '' }, 'make deps')).toMatchObject({
    command: 'make deps',
    manager: { name: 'pnpm' },
  });
  expect(plan({ 'bun.lock': '' }, 'npm install').command).toBe('npm install');
  expect(plan({}, 'pnpm install').manager?.tool).toBe('pnpm@10');
  expect(plan({ 'package-lock.json': '' }, 'yarn').manager?.tool).toBe('yarn@1.22.22');
  expect(plan({ 'pnpm-lock.yaml': "lockfileVersion: '6.0'\n" }, 'pnpm i').manager?.tool).toBe('pnpm@8');
  expect(plan({ 'package-lock.json': '' }, 'bun install').manager?.tool).toBe('bun@1');
});

test.each([
  ['{', 'package.json is not valid JSON: '],
  ['[]', 'package.json is not a JSON object.'],
])('names the problem of an invalid package.json: %s', (content, error) => {
  expect(() => readManifest(directoryOf({ 'package.json': content }))).toThrow(error);
});

const LOCKFILE = { packages: { 'node_modules/a': { version: '1.0.0' } } };
test.each<[string, object, object | string, boolean]>([
  ['of the registry', { a: '^1.0.0', b: 'npm:c@2', d: 'https://example.com/d.tgz' }, LOCKFILE, true],
  ['a directory', { a: 'file:./lib' }, LOCKFILE, false],
  ['a path', { a: './lib' }, LOCKFILE, false],
  ['a link', { a: 'link:../lib' }, LOCKFILE, false],
  ['a portal', { a: 'portal:./lib' }, LOCKFILE, false],
  ['linked by the lockfile alone', { a: '1' }, { packages: { 'node_modules/a': { link: true } } }, false],
  ['an override with a directory', { a: '1' }, { packages: { x: { resolved: 'file:lib' } } }, false],
])(
  'keeps packages for the next build only if they do not follow the files of the repository: %s',
  (_what, dependencies, lockfile, isKept) => {
    const directory = directoryOf({
      'package.json': { dependencies },
      'package-lock.json': JSON.stringify(lockfile, undefined, 2),
    });
    const manifest = readManifest(directory);
    const planned = planInstall('npm ci', directory, manifest);
    expect(dependencyKey(directory, planned, manifest, '22') !== undefined).toBe(isKept);
  },
);

test.each([
  ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
  ['package.txt', undefined],
])(
  'installs the packages of a pnpm-workspace.yaml that is beside no package.json, but beside a %s',
  (file, command) => {
    const settings = command === undefined ? {} : { 'pnpm-workspace.yaml': 'packages:\n  - app\n' };
    const planned = planInstall('npm ci', directoryOf({ [file]: "lockfileVersion: '9.0'\n", ...settings }), undefined);
    expect(planned).toMatchObject(
      command === undefined ? { nothing: 'there is no package.json' } : { command, nothing: undefined },
    );
  },
);

test.each([
  [{}, false],
  [{ install: 'node-gyp rebuild' }, true],
])('keeps no packages if installing them compiles the application itself: %j', (scripts, isKept) => {
  const directory = directoryOf({
    'package.json': { dependencies: { a: '1' }, scripts },
    'package-lock.json': '{}',
    'binding.gyp': '{}',
  });
  const manifest = readManifest(directory);
  const planned = planInstall('npm ci', directory, manifest);
  expect(dependencyKey(directory, planned, manifest, '22') !== undefined).toBe(isKept);
});

test.each<[string, string, boolean]>([
  ['pnpm-lock.yaml', 'snapshots:\n  read-pkg@3.0.0:\n    dependencies:\n      load-json-file: 4.0.0\n', true],
  ['pnpm-lock.yaml', "packages:\n  link@1.0.0:\n    link: 1.0.0\n    'file': 1.0.0\n", true],
  ['pnpm-lock.yaml', "      a:\n        specifier: '1'\n        version: link:lib\n", false],
  ['pnpm-lock.yaml', 'packages:\n  a@file:lib:\n    resolution: {directory: lib, type: directory}\n', false],
  ['yarn.lock', '\n__metadata:\n  version: 8\n\n"x@npm:1":\n  dependencies:\n    symbolic-link: "npm:^1"\n', true],
  ['yarn.lock', '\n__metadata:\n  version: 8\n\n"a@portal:./lib::locator=x":\n  version: 0.0.0\n', false],
])('reads directories of the repository in %s: %j', (lockfile, text, isKept) => {
  const directory = directoryOf({ 'package.json': { dependencies: { a: '1' } }, [lockfile]: text });
  const manifest = readManifest(directory);
  const planned = planInstall('npm ci', directory, manifest);
  expect(dependencyKey(directory, planned, manifest, '22') !== undefined).toBe(isKept);
});

/** Runs an installation with a script in place of its program and returns the output. */
async function withNpm(script: string, work: (context: Parameters<typeof install>[1]) => Promise<void>, tool = 'npm') {
  const directory = directoryOf({ [tool]: `#!/bin/sh\n${script}\n` });
  chmodSync(join(directory, tool), 0o755);
  let printed = '';
  await work({
    environment: { PATH: `${directory}:/usr/bin:/bin` },
    directory,
    redactor: createRedactor([]),
    output: (text) => {
      printed += text;
    },
    limit: new AbortController().signal,
  });
  return printed;
}

test.each([
  ['npm', { 'package-lock.json': {} }, 'dev  '],
  ['yarn', { 'yarn.lock': '# yarn lockfile v1\n' }, 'dev false '],
  ['yarn', { 'yarn.lock': '\n__metadata:\n' }, 'dev  '],
  ['pnpm', { 'pnpm-lock.yaml': "lockfileVersion: '6.0'\n" }, 'dev  false'],
])('installs development packages also for NODE_ENV=production, with %s and %j', async (tool, files, expected) => {
  const print = 'echo "$npm_config_include $YARN_PRODUCTION $npm_config_production"';
  expect(await withNpm(print, (context) => install(plan(files), context), tool)).toBe(`${expected}\n`);
});

test('lets Yarn 1 ignore the Node versions that packages require, as other package managers do', async () => {
  const setting = async (tool: string) => {
    let found: string | undefined;
    await withNpm('true', async (context) => {
      vi.stubEnv('TMPDIR', context.directory);
      found = (await withTool(tool, context)).environment.YARN_IGNORE_ENGINES;
    });
    return found;
  };
  expect(await setting('yarn@1.22.22')).toBe('true');
  expect(await setting('@yarnpkg/cli-dist@4')).toBe(undefined);
  expect(await setting('pnpm@10')).toBe(undefined);
});

test('installs from a lockfile that only lacks packages of other platforms', async () => {
  const planned = plan({ 'package-lock.json': {} });
  const lacking = 'echo "Missing: @x/win32@ from lock file"; test "$1" = install';
  const printed = await withNpm(lacking, (context) => install(planned, context));
  expect(printed).toContain('lacks optional packages of other platforms: using "npm install"');
  const stale = 'echo "Missing: @x/win32@ from lock file"; echo "Missing: b@2.0.0 from lock file"; test "$1" = install';
  await expect(withNpm(stale, (context) => install(planned, context))).rejects.toThrow('failed with exit code 1');
});

test.each([
  ['npm error', 'peer react@"^18.2.0" from react-dom@18.2.0', 'react-dom@18.2.0 needs react@"^18.2.0"'],
  ['npm ERR!', 'react@"^18.2.0" from the root project', 'the root project needs react@"^18.2.0"'],
])('names the packages of a conflict that npm reports: %s %s', async (mark, wanted, said) => {
  const report = [
    'code ERESOLVE',
    'ERESOLVE unable to resolve dependency tree',
    '',
    'While resolving: x@1.0.0',
    'Found: react@16.14.0',
    'node_modules/react',
    '  react@"16.14.0" from the root project',
    '',
    'Could not resolve dependency:',
    wanted,
    'node_modules/react-dom',
  ];
  const script = `cat <<'END'\n${report.map((line) => `${mark} ${line}`).join('\n')}\nEND\nexit 1`;
  const failed = withNpm(script, (context) => install(plan({ 'package-lock.json': {} }), context));
  await expect(failed).rejects.toThrow(
    `failed with exit code 1: ${said}, but react@16.14.0 is used: change one of them in package.json, or commit a file .npmrc with the line "legacy-peer-deps=true".`,
  );
});

test('explains output that shows no mistake of the installation itself', async () => {
  const failed = (script: string) =>
    withNpm(`${script}; exit 1`, (context) =>
      install(plan({ 'package-lock.json': {} }), context, (printed) =>
        /DATABASE_URL/.test(printed) ? ' Advice.' : '',
      ),
    );
  await expect(failed('echo Cannot resolve DATABASE_URL')).rejects.toThrow(/failed with exit code 1\. Advice\.$/);
  await expect(failed('echo other')).rejects.toThrow(/failed with exit code 1\.$/);
});

test('says that there is no package.json only if that is the cause', async () => {
  const failed = (script: string, command: string) => {
    const files = { 'pnpm-workspace.yaml': 'packages: [a]', 'pnpm-lock.yaml': '' };
    const planned = planInstall(command, directoryOf(files), undefined);
    return withNpm(`${script}; exit 1`, (context) => install(planned, context), 'pnpm');
  };
  const missing = 'echo " ERR_PNPM_NO_PKG_MANIFEST  No package.json found in /a"';
  await expect(failed(missing, 'pnpm install')).rejects.toThrow(': there is no package.json. Set installCommand');
  for (const command of ['npm ci', 'pnpm --dir a install'])
    await expect(failed('echo " ERR_PNPM_FETCH_500"', command)).rejects.toThrow(/failed with exit code 1\.$/);
});

test('asks the registry once for packages that the cache does not have', async () => {
  const planned = plan({ 'package-lock.json': {} });
  const old = 'test -z "$npm_config_prefer_offline" || { echo "npm error code ETARGET"; exit 1; }';
  const printed = await withNpm(old, (context) => install(planned, context));
  expect(printed).toContain("npm's cache is older than the lockfile: querying the registry");
  const never = 'echo "npm error code ETARGET"; exit 1';
  await expect(withNpm(never, (context) => install(planned, context))).rejects.toThrow('failed with exit code 1');
});

test('runs only scripts if the packages are restored', async () => {
  const scripts = { postinstall: 'x', build: 'y', prepare: 'z' };
  const directory = directoryOf({ 'package.json': { dependencies: { a: '1' }, scripts }, 'package-lock.json': {} });
  const manifest = readManifest(directory);
  if (!manifest) throw new Error('there is one');
  const planned = planInstall('npm ci', directory, manifest);
  const ran = (hasInstallScript: boolean, settings = '') =>
    withNpm('echo "$@"', (context) => {
      writeFileSync(join(context.directory, '.npmrc'), settings);
      const record = JSON.stringify({ packages: { 'node_modules/a': { hasInstallScript } } });
      restore(context, '.package-lock.json', record);
      return finishInstall(planned, manifest, context);
    });
  expect(await ran(true)).toBe('rebuild a\nrun postinstall\nrun prepare\n');
  expect(await ran(false)).toBe('run postinstall\nrun prepare\n');
  expect(await ran(true, 'x=y\nignore-scripts = true\n')).toBe('');
});

/** Puts a file of a package manager into a context's `node_modules`, beside packages of which two have install scripts. */
function restore({ directory }: Parameters<typeof install>[1], name: string, content = ''): void {
  const files = {
    [name]: content,
    'none/package.json': '{"scripts":{"prepare":"x"}}',
    'none/node_modules/a/package.json': '{"scripts":{"postinstall":"x"}}',
    '.pnpm/@s+b@1/node_modules/@s/b/package.json': '{}',
    '.pnpm/@s+b@1/node_modules/@s/b/binding.gyp': '',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(directory, 'node_modules', dirname(path)), { recursive: true });
    writeFileSync(join(directory, 'node_modules', path), text);
  }
  symlinkSync('../.pnpm/@s+b@1/node_modules/@s/b', join(directory, 'node_modules', 'none', 'linked'));
}

const PNPM = { 'pnpm-lock.yaml': '' };
const YARN = { 'yarn.lock': '# v1' };
const PNPM_REBUILD = 'pnpm rebuild @s/b a\npnpm install --frozen-lockfile\n';
const PNPM_INSTALL = 'pnpm install --frozen-lockfile\n';
test.each<[string, Record<string, string>, string, string, string]>([
  ['pnpm', PNPM, '.modules.yaml', 'npm ci', PNPM_REBUILD],
  ['pnpm', { ...PNPM, '.npmrc': '#ignore-scripts=true\n' }, '.modules.yaml', 'npm ci', PNPM_REBUILD],
  ['pnpm', { ...PNPM, '.npmrc': 'ignore-scripts=true\n' }, '.modules.yaml', 'npm ci', PNPM_INSTALL],
  ['pnpm', { ...PNPM, '.npmrc': 'ignore-dep-scripts=true' }, '.modules.yaml', 'npm ci', PNPM_INSTALL],
  ['pnpm', { ...PNPM, 'pnpm-workspace.yaml': 'ignoreScripts: true\n' }, '.modules.yaml', 'npm ci', PNPM_INSTALL],
  ['pnpm', PNPM, '.modules.yaml', 'pnpm i --ignore-scripts', 'pnpm i --ignore-scripts\n'],
  ['npm', { 'yarn.lock': '' }, '.modules.yaml', 'npm run deps', 'npm run deps\n'],
  ['npm', YARN, '.yarn-integrity', 'npm install', 'npm rebuild @s/b a\nnpm install\n'],
  ['npm', { ...YARN, '.yarnrc': 'ignore-scripts true' }, '.yarn-integrity', 'npm install', 'npm install\n'],
  ['npm', { ...YARN, '.yarnrc': '--install.ignore-scripts true' }, '.yarn-integrity', 'npm i', 'npm i\n'],
  ['yarn', { 'yarn.lock': '\n__metadata:\n' }, '.yarn-state.yml', 'npm ci', 'yarn install --immutable\n'],
])('runs install scripts of restored packages again, if the owner has any run: %s, %j, %s, %s', async (...row) => {
  const [tool, files, mark, command, expected] = row;
  const planned = plan(files, command);
  const manifest = readManifest(directoryOf({ 'package.json': {} }));
  if (!manifest) throw new Error('there is one');
  const printed = await withNpm(
    `echo ${tool} "$@"`,
    (context) => {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(context.directory, name), text);
      restore(context, mark);
      return finishInstall(planned, manifest, context);
    },
    tool,
  );
  expect(printed).toBe(expected);
});

test('installs again if a script of a restored package fails', async () => {
  const planned = plan({ 'yarn.lock': '# v1' }, 'npm install');
  const manifest = readManifest(directoryOf({ 'package.json': {} }));
  if (!manifest) throw new Error('there is one');
  const failing = 'echo "$@"; test -d node_modules && echo there; test "$1" != rebuild';
  const printed = await withNpm(failing, (context) => {
    restore(context, '.yarn-integrity');
    return finishInstall(planned, manifest, context);
  });
  expect(printed).toBe(
    'rebuild @s/b a\nthere\n    the restored packages could not be completed: installing all of them again\ninstall\n',
  );
});
