/**
 * `npm run prices:update [-- --version 0.1.8] [--yes]`: compares the current prices (`providers/ai/price-list.json`) with those of the
 * data set `@pydantic/genai-prices` (by default its latest version), prints every difference, and writes the list after a person has
 * approved it (docs/runbook.md#ai-prices). The file pins the version and its integrity.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { PriceList } from '../providers/ai/models.ts';
import { createPriceList, describeChanges } from './price-list.ts';

const FILE = resolve(import.meta.dirname, '../providers/ai/price-list.json');
const PACKAGE = '@pydantic/genai-prices';

const { values: options } = parseArgs({
  options: { version: { type: 'string', default: 'latest' }, yes: { type: 'boolean', default: false } },
});

/** Downloads the data set and creates the price list. Importing the package only evaluates its definitions. */
async function downloadList(before: PriceList): Promise<PriceList> {
  const folder = mkdtempSync(join(tmpdir(), 'prices-'));
  try {
    const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: folder, encoding: 'utf8' });
    const file = run('npm', 'pack', '--silent', `${PACKAGE}@${options.version}`).trim();
    const bytes = readFileSync(join(folder, file));
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    run('tar', 'xzf', file);
    const { version } = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'));
    const source = `${PACKAGE}@${version}`;
    if (source === before.source && integrity !== before.integrity) {
      throw new Error(`${source} is not the package that it was: ${integrity} instead of ${before.integrity}`);
    }
    const dataSet = await import(pathToFileURL(join(folder, 'package/dist/index.js')).href);
    return { source, integrity, models: createPriceList(dataSet) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function isApproved(): Promise<boolean> {
  if (options.yes || !process.stdin.isTTY) return options.yes;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Sell at these prices? [y/N] ');
  terminal.close();
  return answer.trim().toLowerCase() === 'y';
}

const before: PriceList = JSON.parse(readFileSync(FILE, 'utf8'));
const after = await downloadList(before);
const changes = describeChanges(before.models, after.models);
console.log([`${before.source} → ${after.source}: ${changes.length} changes`, ...changes].join('\n'));
if (JSON.stringify(before) !== JSON.stringify(after)) {
  if (await isApproved()) {
    writeFileSync(FILE, `${JSON.stringify(after, null, 2)}\n`);
    execFileSync('biome', ['format', '--write', FILE]);
    console.log('Written. Check the difference and commit it.');
  } else {
    console.log('Nothing written. Run it with -- --yes, or on a terminal, to approve.');
    process.exitCode = 1;
  }
}
