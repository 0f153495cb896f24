import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stopBundler } from '../../lib/build/bundles.ts';

interface Manifest {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}
interface Lockfile {
  packages: Record<string, { name?: string; dev?: boolean; link?: boolean }>;
}
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;

describe('what npm ci installs', () => {
  afterAll(stopBundler);

  const isSource = (file: string): boolean => !/node_modules|\.test\.tsx?$|\.d\.ts$|test-harness/.test(file);

  /** The packages that modules import, with their own modules, by package. */
  async function packagesOf(entries: string[]): Promise<Map<string, string>> {
    // One entry that imports all of them: of an entry each, every shared module would be printed into hundreds of bundles.
    const contents = entries.filter(isSource).map((file) => `import ${JSON.stringify(`./${file}`)};`);
    const { metafile } = await build({
      stdin: { contents: contents.join('\n'), resolveDir: process.cwd() },
      bundle: true,
      write: false,
      metafile: true,
      outdir: tmpdir(),
      packages: 'external',
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
      loader: { '.css': 'empty' },
      treeShaking: false,
    });
    const imports = Object.entries(metafile.inputs).flatMap(([file, input]) =>
      input.imports.filter(({ external }) => external).map(({ path }) => [path, file] as const),
    );
    const names = imports
      .filter(([path]) => !path.startsWith('node:') && !path.startsWith('.'))
      .map(([path, file]) => [path.split('/', path.startsWith('@') ? 2 : 1).join('/'), file] as const);
    return new Map(names);
  }

  test.each([
    ['the local run and what it loads later', ['local/**/*.ts', 'builder/**/*.ts', 'cli/**/*.ts']],
    ['the stacks and the functions', ['lib/**/*.ts', 'functions/**/*.ts']],
    ['the dashboard and its build', ['dashboard/**/*.{ts,tsx}']],
    ['the scripts of npm ci', ['scripts/{setup,install-hooks}.mjs', 'local/runtimes/install.mjs']],
  ])('is all that %s imports', async (_, patterns) => {
    const packages = await packagesOf(patterns.flatMap((pattern) => globSync(pattern)));
    const absent = [...packages].filter(([name]) => Object.hasOwn(manifest.devDependencies, name));
    expect(absent).toEqual([]);
  });

  test('names nothing that only types and tests need', () => {
    expect(Object.keys(manifest.dependencies).filter((name) => name.startsWith('@types/'))).toEqual([]);
    expect(readFileSync('.npmrc', 'utf8')).toMatch(/^omit=dev$/m);
  });

  // An update can bring one back: npm installs the real package where ours has another version (docs/decisions/0079-installation.md).
  test.each([
    'typescript',
    'cdk-nag',
    '@aws-cdk/asset-awscli-v1',
    'fontkit',
    '@aws-sdk/client-s3',
    '@aws-sdk/client-sns',
  ])('leaves out %s', (name) => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lockfile;
    const installed = Object.entries(packages).filter(
      ([path, entry]) => path.startsWith('node_modules/') && !entry.dev && !entry.link,
    );
    expect(installed.length).toBeGreaterThan(100);
    const named = installed.filter(([path, entry]) => (entry.name ?? path.split('node_modules/').at(-1)) === name);
    expect(named.map(([path]) => path)).toEqual([]);
  });
});

test('scripts that use more than npm ci installs fetch it first', () => {
  const sufficient = ['postinstall', 'prepare', 'setup', 'start', 'dev', 'local:reset', 'build'];
  const rest = Object.entries(manifest.scripts).filter(([name]) => !sufficient.includes(name));
  expect(rest.filter(([, command]) => !command.startsWith('scripts/setup && '))).toEqual([]);
});

describe('scripts/setup', () => {
  /** Notes each call, takes a moment, and fails while the file `offline` is there. */
  const NPM = `
    import { appendFileSync, existsSync } from 'node:fs';
    appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');
    if (existsSync('offline')) { console.error('npm error network'); process.exit(7); }
    await new Promise((resolve) => setTimeout(resolve, 300));
  `;
  /** Provides this Node instead of a fetched one. */
  const INSTALL = `
    import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
    mkdirSync('node_modules/.node/24/bin', { recursive: true });
    rmSync('node_modules/.node/24/bin/node', { force: true });
    symlinkSync(process.execPath, 'node_modules/.node/24/bin/node');
  `;
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'setup-'));
    for (const folder of ['scripts', 'local/runtimes', 'node_modules'])
      mkdirSync(join(root, folder), { recursive: true });
    for (const file of ['scripts/setup', 'scripts/setup.mjs', 'package-lock.json'])
      copyFileSync(file, join(root, file));
    writeFileSync(join(root, 'local/runtimes/install.mjs'), INSTALL);
    writeFileSync(join(root, 'npm.mjs'), NPM);
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const env = () => ({
    ...process.env,
    npm_execpath: join(root, 'npm.mjs'),
    PATH: `${resolve('node_modules/.bin')}:${process.env.PATH}`,
  });
  const setUp = (command = 'scripts/setup') =>
    spawnSync('sh', ['-c', command], { cwd: root, encoding: 'utf8', env: env() });
  const calls = () => readFileSync(join(root, 'calls'), 'utf8').trim().split('\n');

  test('fetches once for each lockfile, without the scripts of packages', () => {
    expect(setUp()).toMatchObject({ status: 0, stderr: '' });
    expect(setUp()).toMatchObject({ status: 0, stdout: '' });
    expect(calls()).toHaveLength(1);
    expect(calls()[0]).toMatch(/^install --include=dev --no-save --ignore-scripts /);
    writeFileSync(join(root, 'package-lock.json'), '{}');
    setUp();
    expect(calls()).toHaveLength(2);
  });

  test('two at once fetch once', () => {
    expect(setUp('scripts/setup & scripts/setup && wait')).toMatchObject({ status: 0, stderr: '' });
    expect(calls()).toHaveLength(1);
  });

  test('one that was killed keeps no other out', () => {
    mkdirSync(join(root, 'node_modules/.setup'));
    const { pid } = spawnSync('true');
    writeFileSync(join(root, 'node_modules/.setup/owner'), String(pid));
    expect(setUp()).toMatchObject({ status: 0 });
  });

  test('a failure names its cause and what to do, and is tried again', () => {
    writeFileSync(join(root, 'offline'), '');
    const { status, stderr } = setUp();
    expect(status).toBe(1);
    expect(stderr).toMatch(/npm error network\nnpm install failed \(exit code 7;.*npm's registry.*"npm run setup"/);
    rmSync(join(root, 'offline'));
    expect(setUp()).toMatchObject({ status: 0 });
    expect(calls()).toHaveLength(2);
  });
});
