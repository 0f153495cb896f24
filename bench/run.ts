import { readdirSync } from 'node:fs';
import { print, type Row } from './measure.ts';

/** `npm run bench` runs every comparison; `npm run bench -- cold-start` runs one. */
const apart = ['run.ts', 'measure.ts'];
const all = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !apart.includes(file))
  .map((file) => file.slice(0, -3));
const asked = process.argv.slice(2);
for (const name of asked.length > 0 ? asked : all) {
  if (!all.includes(name)) throw new Error(`there is no bench ${name}: ${all.join(', ')}`);
  console.log(`# ${name}`);
  const { rows } = (await import(`./${name}.ts`)) as { rows: () => Promise<Row[]> };
  for (const row of await rows()) print(row);
}
