import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isReached, print, type Row } from './measure.ts';
import { NOTES } from './notes.ts';
import { pageOf } from './page.ts';

/** Runs per benchmark; the page has their medians. */
const RUNS = 5;
const PAGE = 'docs/benchmarks.md';

/**
 * `npm run bench` runs all benchmarks; `npm run bench -- cold-start` runs one, and fails if a ratio is above its bound.
 * `npm run bench -- all --markdown` runs all five times and writes docs/benchmarks.md; with names, their sections of it.
 */
const all = readdirSync(join(import.meta.dirname, 'benchmarks')).map((file) => file.replace(/\.ts$/, ''));
const requested = process.argv.slice(2).filter((name) => name !== 'all' && !name.startsWith('--'));
const isPage = process.argv.includes('--markdown');
const names = requested.length > 0 ? requested : all;
for (const name of names) {
  if (!all.includes(name)) throw new Error(`Unknown benchmark ${name}. Available: ${all.join(', ')}`);
  if (!NOTES[name]) throw new Error(`Say in bench/notes.ts what the figures of ${name} do not say.`);
}
for (const name of names) {
  const { rows } = (await import(`./benchmarks/${name}.ts`)) as { rows: () => Promise<Row[]> };
  const runs: Row[][] = [];
  for (let run = 0; run < (isPage ? RUNS : 1); run += 1) {
    console.log(`# ${name}`);
    const measured = await rows();
    for (const row of measured) print(row);
    runs.push(measured);
    if (!isPage && !measured.every(isReached)) process.exitCode = 1;
  }
  // Written after each benchmark, so that an interrupted run keeps its results.
  if (isPage) writeFileSync(PAGE, pageOf(readFileSync(PAGE, 'utf8'), name, runs));
}
