import { readdirSync } from 'node:fs';
import { print, type Row } from './measure.ts';

/** `npm run bench` runs all benchmarks; `npm run bench -- cold-start` runs one. */
const excluded = ['run.ts', 'measure.ts', 'write-items.ts'];
const all = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !excluded.includes(file))
  .map((file) => file.slice(0, -3));
const requested = process.argv.slice(2);
for (const name of requested.length > 0 ? requested : all) {
  if (!all.includes(name)) throw new Error(`Unknown benchmark ${name}. Available: ${all.join(', ')}`);
  console.log(`# ${name}`);
  const { rows } = (await import(`./${name}.ts`)) as { rows: () => Promise<Row[]> };
  for (const row of await rows()) print(row);
}
