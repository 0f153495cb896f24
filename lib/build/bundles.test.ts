import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type BuildOptions, build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleInto } from '../../local/lambda/bundle-cache.ts';
import { functionFolder, functionNames, stopBundler, writeChanged } from './bundles.ts';

const outdir = mkdtempSync(join(tmpdir(), 'bundles-'));
const fileOf = (name: string) => join(functionFolder(outdir, name), 'index.mjs');

/** Modules that bundles may import: `node:module` for the `require` of CommonJS dependencies. */
const ALLOWED = new Set(['node:process', 'process', 'node:console', 'console', 'node:module']);

// The bundles of these sources, made once for all tests and starts (local/lambda/bundle-cache.ts).
beforeAll(() => bundleInto(outdir));
afterAll(async () => {
  await stopBundler();
  rmSync(outdir, { recursive: true, force: true });
});

test('bundles every function and keeps API bundles below 400 kB', () => {
  for (const name of functionNames()) {
    const { size } = statSync(fileOf(name));
    expect(size, name).toBeGreaterThan(1_000);
    if (name.startsWith('api/')) expect(size, name).toBeLessThan(400_000);
  }
});

test('API functions carry no AWS SDK', () => {
  for (const name of functionNames().filter((each) => each.startsWith('api/'))) {
    expect(readFileSync(fileOf(name), 'utf8'), name).not.toMatch(/aws-sdk-js/);
  }
});

test('places the token verifier beside each bundle that loads it, and inside none', () => {
  const asking = functionNames().filter((name) => readFileSync(fileOf(name), 'utf8').includes('./access-token.mjs'));
  expect(asking).toEqual(expect.arrayContaining(['api/getApp', 'dashboard/getMe', 'ai/chatCompletions']));
  for (const name of asking) {
    expect(readFileSync(fileOf(name), 'utf8'), name).not.toContain('JWSSignatureVerificationFailed');
    expect(statSync(join(functionFolder(outdir, name), 'access-token.mjs')).size, name).toBeGreaterThan(10_000);
  }
});

test('no bundle imports a module of Node, whose exports load others, except those that environments have of their own', () => {
  const files = globSync('**/*.mjs', { cwd: outdir }).filter((file) => !file.startsWith('dashboard'));
  expect(files).toEqual(expect.arrayContaining(['builder/environment.mjs', 'functions/api/listApps/index.mjs']));
  for (const file of files) {
    const imports = readFileSync(join(outdir, file), 'utf8').matchAll(
      /\b(?:from|import|import\()\s*["']([\w:/]+)["']/g,
    );
    const builtins = [...imports].map(([, name = '']) => name).filter(isBuiltin);
    expect(
      builtins.filter((name) => !ALLOWED.has(name)),
      file,
    ).toEqual([]);
  }
});

test('the module that starts applications leaves the second HTTP client unloaded', async () => {
  const printed = 'process.stdout.write(JSON.stringify(process.moduleLoadList))';
  const args = ['--import', pathToFileURL(join(outdir, 'builder', 'environment.mjs')).href, '--eval', printed];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const loaded: string[] = JSON.parse(stdout);
  expect(loaded).toContain('NativeModule http');
  expect(loaded.filter((name) => name.includes('undici'))).toEqual([]);
});

test('a bundle is written, and reported to a watcher, only when its content changes', async () => {
  const source = join(outdir, 'source.js');
  const written: string[][] = [];
  const bundling = { onChange: (paths: string[]) => written.push(paths) };
  const options: BuildOptions = {
    entryPoints: [source],
    outdir: join(outdir, 'changes'),
    write: false,
    metafile: true,
  };
  const make = async (text: string) => {
    writeFileSync(source, text);
    await build({ ...options, plugins: [writeChanged(outdir, 'meta-changes.json', bundling)] });
  };
  await make('console.log(1);');
  await make('console.log(1);');
  await make('console.log(2);');
  const file = join(outdir, 'changes', 'source.js');
  expect(written).toEqual([[file], [file]]);
  expect(readFileSync(file, 'utf8')).toContain('console.log(2)');
});
