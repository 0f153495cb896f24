import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NEIGHBORS, type Neighbor } from '../isolation/neighbors.ts';
import type { Row } from '../measure.ts';

/**
 * Measures noisy neighbors. One account uses everything that its limits allow. For another account, the 95th percentiles of an API
 * request, a delivery, the first byte of an AI call and a page of its application are compared with those measured just before, without
 * the noise, in the same run on the same machine (bench/isolation/measure.ts). The noise comes from a separate process with the lowest priority
 * (bench/isolation/noise.ts). `ISOLATION=streams,keys` measures only these neighbors.
 */

/** Responds immediately, or after the milliseconds in `?ms=`. */
const SERVER = `import { createServer } from 'node:http';
createServer((request, response) => {
  const ms = Number(new URL(request.url, 'http://a').searchParams.get('ms') ?? 0);
  setTimeout(() => response.end('ok'), ms);
}).listen(Number(process.env.PORT));
`;

/** Returns the neighbors to measure: those in the environment variable ISOLATION, by default all. */
function chosenNeighbors(): Neighbor[] {
  const all = Object.keys(NEIGHBORS) as Neighbor[];
  const names = process.env.ISOLATION?.split(',');
  return names ? all.filter((name) => names.includes(name)) : all;
}

/** Measures one neighbor in a separate process. */
async function measure(neighbor: Neighbor, repositories: string): Promise<Row[]> {
  const child = fork('bench/isolation/measure.ts', [neighbor, repositories]);
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (!Array.isArray(message)) throw new Error(`the measurement of ${neighbor} ended with ${message}`);
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
    for (const neighbor of chosenNeighbors()) results.push(...(await measure(neighbor, folder)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return results;
}
