import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Row, timed } from '../measure.ts';

const SIZE_MB = 550;
/** Before, tests, linters and three whole Nodes were part of `npm ci`: 1,490 MB. */
const WHOLE_MB = 1400;
const INSTALL_S = 40;
/** Development packages, several times the size of the rest, over the network. */
const SETUP_S = 60;

/** Installs the platform in a new clone of the last commit: the times of `npm ci` and of a first and another set-up for tests, and the sizes. */
export async function rows(): Promise<Row[]> {
  const folder = join(mkdtempSync(join(tmpdir(), 'install-')), 'clone');
  const run = (...args: string[]) =>
    timed(async () => execFileSync('npm', args, { cwd: folder, stdio: 'ignore' })).then((taken) => taken / 1000);
  const megabytes = () =>
    Number.parseInt(execFileSync('du', ['-sm', 'node_modules'], { cwd: folder, encoding: 'utf8' }), 10);
  try {
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', '.', folder]);
    const installed = await run('ci');
    const size = megabytes();
    const first = await run('run', 'setup');
    const whole = megabytes();
    const again = await timed(async () => execFileSync('sh', [join('scripts', 'setup')], { cwd: folder }));
    const row = (what: string, ours: number, against: number, unit: string): Row => ({
      what: `${what}, against ${against} ${unit}`,
      ours,
      against,
      unit,
      atMost: 1,
    });
    return [
      row('node_modules after npm ci', size, SIZE_MB, 'MB'),
      row('npm ci', installed, INSTALL_S, 's'),
      row('npm run setup, which the first npm test runs', first, SETUP_S, 's'),
      row('setup of a later npm test', again, 50, 'ms'),
      row('node_modules after npm test', whole, WHOLE_MB, 'MB'),
    ];
  } finally {
    rmSync(join(folder, '..'), { recursive: true, force: true });
  }
}
