import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { builtWebApp } from '../../lib/build/web-app.ts';

const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    isEntry: z.boolean().optional(),
    isDynamicEntry: z.boolean().optional(),
    imports: z.array(z.string()).optional(),
  }),
);
type Manifest = z.output<typeof Manifest>;

const KB = 1024;
const FIRST_LOAD = 250 * KB;
const SCREEN = 60 * KB;

/** A file and all that it cannot do without. */
function neededBy(manifest: Manifest, name: string, needed = new Set<string>()): Set<string> {
  if (needed.has(name)) return needed;
  needed.add(name);
  for (const imported of manifest[name]?.imports ?? []) neededBy(manifest, imported, needed);
  return needed;
}

test('the first load and each further screen keep to their budget of compressed script', async () => {
  const folder = await builtWebApp();
  const manifest = Manifest.parse(JSON.parse(readFileSync(join(folder, '.vite', 'manifest.json'), 'utf8')));
  const sizeOf = (names: Iterable<string>): number =>
    [...names]
      .map((name) => manifest[name]?.file ?? '')
      .filter((file) => file.endsWith('.js'))
      .reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0);
  const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry) ?? '';
  const screens = Object.keys(manifest).filter((name) => manifest[name]?.isDynamicEntry);
  expect(screens.length).toBeGreaterThan(6);
  const shell = neededBy(manifest, entry);
  // What the page asks for besides its entry.
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  for (const name of Object.keys(manifest))
    if (page.includes(manifest[name]?.file ?? name)) neededBy(manifest, name, shell);
  for (const screen of screens) {
    const more = [...neededBy(manifest, screen)].filter((name) => !shell.has(name));
    expect({ screen, fits: sizeOf(more) <= SCREEN, size: sizeOf(more) }).toMatchObject({ fits: true });
    expect({ screen, fits: sizeOf([...shell, ...more]) <= FIRST_LOAD }).toMatchObject({ fits: true });
  }
});
