import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { bundle } from '../../lib/build/bundles.ts';
import { VARIABLES } from '../../runtime/config.ts';
import type { Row } from '../measure.ts';

const TIMES = 8;

/** Returns the minimum: noise only adds time, so the fastest run is closest to the import's own time. */
const minimum = (values: number[]) => Math.min(...values);

/** Bundles that contain generators of documents (API documentation, PDF files) and are therefore not compared. */
const DOCUMENTS = ['getDocs', 'getOpenApi', 'getInvoicePdf'];

/** Imports a bundle in a new process. Returns processor milliseconds, which other load on the machine hardly affects. */
function measureImport(file: string, environment: Record<string, string>): number {
  const script = `const before = process.cpuUsage(); await import(${JSON.stringify(file)});
    const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000);`;
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
      entryPoints: [source],
      outfile: empty,
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      mainFields: ['module', 'main'],
    });
    // Sets every variable that accepts any text, because some are read at import.
    const texts = Object.entries(VARIABLES).filter(([, schema]) => schema().safeParse('x').success);
    const environment = Object.fromEntries(texts.map(([name]) => [name, 'x']));
    const api = join(dist, 'functions/api');
    const files = readdirSync(api)
      .filter((name) => !DOCUMENTS.includes(name))
      .map((name) => ({ name, file: join(api, name, 'index.mjs') }));
    const largest = files
      .map(({ name, file }) => ({ name, size: statSync(file).size }))
      .reduce((a, b) => (a.size > b.size ? a : b));
    const imports = files.map(({ name, file }) => {
      const samples = Array.from(
        { length: TIMES },
        () => [measureImport(file, environment), measureImport(empty, {})] as const,
      );
      return {
        name,
        ours: minimum(samples.map(([ours]) => ours)),
        baseline: minimum(samples.map(([, empty]) => empty)),
      };
    });
    const slowest = imports.reduce((a, b) => (a.ours / a.baseline > b.ours / b.baseline ? a : b));
    return [
      {
        name: `largest API bundle (${largest.name})`,
        ours: largest.size / 1000,
        baseline: 400,
        unit: 'kB',
        maxRatio: 1,
      },
      {
        ...slowest,
        name: `slowest import (${slowest.name}) against an empty function`,
        unit: 'ms',
        maxRatio: 2,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
