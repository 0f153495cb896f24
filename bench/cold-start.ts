import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { bundle } from '../lib/build/bundles.ts';
import type { Row } from './measure.ts';

const TIMES = 15;

/** Variables that functions require at import. */
const VARIABLES = [
  ...['TABLE_NAME', 'APPS_DOMAIN', 'BUILDS_BUCKET', 'SECRETS_KEY_ARN', 'APP_FUNCTION_ARN_PREFIX'],
  ...['LOGIN_ISSUER', 'LOGIN_CLIENT_ID', 'PAYMENTS_SECRET_NAME', 'PAYMENTS_BASE_URL', 'DATABASE_REGION'],
];

/** Returns the minimum: noise only adds time, so the fastest run is closest to the import's own time. */
const minimum = (values: number[]) => Math.min(...values);

/** Imports a bundle in a new process. Returns the duration in milliseconds. */
function measureImport(file: string, environment: Record<string, string>): number {
  const script = `const t = performance.now(); await import(${JSON.stringify(file)}); console.log(performance.now() - t);`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, ...environment },
    encoding: 'utf8',
  });
  return Number(output);
}

/** A minimal function for comparison: middy, and a zod schema with one field. */
const EMPTY = `import middy from '@middy/core';
import * as z from 'zod';
const Input = z.object({ name: z.string().min(2) });
export const handler = middy().handler(async (event) => Input.parse(event));`;

/** Measures size and import time of every API bundle. Returns the worst of each, compared with an empty function. */
export async function rows(): Promise<Row[]> {
  const dist = await bundle();
  const folder = mkdtempSync(join(resolve('node_modules'), '.cold-start-'));
  try {
    const source = join(folder, 'empty.ts');
    writeFileSync(source, EMPTY);
    const empty = join(folder, 'empty.mjs');
    await build({
      ...{ entryPoints: [source], outfile: empty, bundle: true, minify: true, format: 'esm', platform: 'node' },
      ...{ target: 'node24', mainFields: ['module', 'main'] },
    });
    const environment = Object.fromEntries(VARIABLES.map((name) => [name, 'x']));
    const api = join(dist, 'functions/api');
    const files = readdirSync(api).map((name) => ({ name, file: join(api, name, 'index.mjs') }));
    const largest = files
      .map(({ name, file }) => ({ name, size: statSync(file).size }))
      .reduce((a, b) => (a.size > b.size ? a : b));
    const imports = files
      .filter(({ name }) => !['getDocs', 'getOpenApi'].includes(name)) // they generate the documentation at start on purpose
      .map(({ name, file }) => {
        const taken = Array.from(
          { length: TIMES },
          () => [measureImport(file, environment), measureImport(empty, {})] as const,
        );
        return { name, ours: minimum(taken.map(([ours]) => ours)), against: minimum(taken.map(([, empty]) => empty)) };
      });
    const slowest = imports.reduce((a, b) => (a.ours / a.against > b.ours / b.against ? a : b));
    return [
      { what: `largest API bundle (${largest.name})`, ours: largest.size / 1000, against: 400, unit: 'kB', atMost: 1 },
      { what: `slowest import (${slowest.name}) against an empty function`, ...slowest, unit: 'ms', atMost: 2 },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
