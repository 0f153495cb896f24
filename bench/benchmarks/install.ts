import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { durationOf, type Row } from '../measure.ts';

const SIZE_MB = 550;
/** It was 1,490 MB when `npm ci` also installed tests, linters and three complete Nodes. */
const SIZE_WITH_TESTS_MB = 1400;
const INSTALL_S = 40;
/** Downloads the development packages, which are several times as large as the others. */
const SETUP_S = 60;

/** Installs the platform in a new clone of the last commit. Measures `npm ci`, the first and a repeated set-up for tests, and the sizes. */
export async function rows(): Promise<Row[]> {
  const folder = join(mkdtempSync(join(tmpdir(), 'install-')), 'clone');
  const run = (...args: string[]) =>
    durationOf(async () => execFileSync('npm', args, { cwd: folder, stdio: 'ignore' })).then((ms) => ms / 1000);
  const megabytes = () =>
    Number.parseInt(execFileSync('du', ['-sm', 'node_modules'], { cwd: folder, encoding: 'utf8' }), 10);
  try {
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', '.', folder]);
    const installed = await run('ci');
    const size = megabytes();
    const firstSetup = await run('run', 'setup');
    const sizeWithTests = megabytes();
    const repeatedSetup = await durationOf(async () => execFileSync('sh', [join('scripts', 'setup')], { cwd: folder }));
    const row = (name: string, ours: number, baseline: number, unit: string): Row => ({
      name: `${name}, against ${baseline} ${unit}`,
      ours,
      baseline,
      unit,
      maxRatio: 1,
    });
    return [
      row('node_modules after npm ci', size, SIZE_MB, 'MB'),
      row('npm ci', installed, INSTALL_S, 's'),
      row('npm run setup, which the first npm test runs', firstSetup, SETUP_S, 's'),
      row('setup of a later npm test', repeatedSetup, 50, 'ms'),
      row('node_modules after npm test', sizeWithTests, SIZE_WITH_TESTS_MB, 'MB'),
    ];
  } finally {
    rmSync(join(folder, '..'), { recursive: true, force: true });
  }
}
