/**
 * `npm run prices:update`: compares the prices that are sold (`providers/ai/price-list.json`) with those of the installed
 * `@pydantic/genai-prices`, prints every difference, and writes the list once a person has approved it (`-- --yes` approves
 * without asking). Install another version of the package first (docs/runbook.md#ai-prices).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { describeChanges, makePriceList } from './price-list.ts';

const FILE = resolve(import.meta.dirname, '../providers/ai/price-list.json');

async function isApproved(): Promise<boolean> {
  if (process.argv.includes('--yes')) return true;
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Sell at these prices? [y/N] ');
  terminal.close();
  return answer.trim().toLowerCase() === 'y';
}

const after = makePriceList();
const changes = describeChanges(JSON.parse(readFileSync(FILE, 'utf8')), after);
console.log([`${after.source}: ${changes.length} changes`, ...changes].join('\n'));
if (changes.length > 0) {
  if (await isApproved()) {
    writeFileSync(FILE, `${JSON.stringify(after, null, 2)}\n`);
    console.log('Written. Check the difference and commit it.');
  } else {
    console.log('Nothing written. Run it with -- --yes, or on a terminal, to approve.');
    process.exitCode = 1;
  }
}
