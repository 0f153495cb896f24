import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NEIGHBOURS, type Neighbour } from '../isolation/neighbours.ts';
import type { Row } from '../measure.ts';

/**
 * Noisy neighbours: one account does what its limits allow, and the 95th percentile of another account's API request, delivery, first
 * byte of an AI call and page of its application is compared with what it was alone, just before, in the same run on the same machine
 * (isolation/measure.ts). The noise comes from a process of its own with the lowest priority (isolation/noise.ts).
 * `ISOLATION=streams,keys` measures these neighbours only.
 */

/** Answers at once, or after as many milliseconds as `?ms=` says. */
const SERVER = `import { createServer } from 'node:http';
createServer((request, response) => {
  const ms = Number(new URL(request.url, 'http://a').searchParams.get('ms') ?? 0);
  setTimeout(() => response.end('ok'), ms);
}).listen(Number(process.env.PORT));
`;

/** The neighbours to measure: those that the variable ISOLATION names, by default all. */
function chosenNeighbours(): Neighbour[] {
  const all = Object.keys(NEIGHBOURS) as Neighbour[];
  const names = process.env.ISOLATION?.split(',');
  return names ? all.filter((name) => names.includes(name)) : all;
}

/** Measures one neighbour in a process of its own. */
async function measure(neighbour: Neighbour, repositories: string): Promise<Row[]> {
  const child = fork('bench/isolation/measure.ts', [neighbour, repositories]);
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (!Array.isArray(message)) throw new Error(`the measurement of ${neighbour} ended with ${message}`);
  return message;
}

export async function rows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'isolation-'));
  const repository = join(folder, 'server.git');
  mkdirSync(repository);
  writeFileSync(join(repository, 'server.js'), SERVER);
  writeFileSync(
    join(repository, 'package.json'),
    JSON.stringify({ name: 'server', type: 'module', scripts: { start: 'node server.js' } }),
  );
  const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, stdio: 'ignore' });
  git('init', '--initial-branch=main');
  git('add', '--all');
  git('-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', 'commit', '--message', 'bench');
  const results: Row[] = [];
  try {
    for (const neighbour of chosenNeighbours()) results.push(...(await measure(neighbour, folder)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return results;
}
