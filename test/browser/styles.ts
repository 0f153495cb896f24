import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { buildWebApp } from '../../lib/build/web-app.ts';

const classesOf = (css: string): Set<string> => new Set(css.match(/\bm_[0-9a-f]+\b/g));

let known: Promise<{ all: Set<string>; built: Set<string> }> | undefined;

async function read() {
  const folder = await buildWebApp();
  const sheets = globSync('assets/*.css', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'));
  const all = readFileSync(createRequire(import.meta.url).resolve('@mantine/core/styles.css'), 'utf8');
  return { all: classesOf(all), built: classesOf(sheets.join('\n')) };
}

/** Returns the classes on a page whose component styles are missing from the build (`dashboard/mantine.css`). */
export async function missingStyles(page: Page): Promise<string[]> {
  known ??= read();
  const { all, built } = await known;
  const shown = await page.evaluate<string[]>(
    "[...document.querySelectorAll('*')].flatMap((each) => [...each.classList])",
  );
  return [...new Set(shown)].filter((name) => all.has(name) && !built.has(name));
}

/** Returns the background color of an element. */
export const backgroundOf = (element: Locator): Promise<string> =>
  element.evaluate((shown) => shown.ownerDocument.defaultView?.getComputedStyle(shown).backgroundColor ?? 'none');
