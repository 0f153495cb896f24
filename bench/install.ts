import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Row, timed } from './measure.ts';

/** Installs the platform in a new clone of the last commit: the time of `npm ci`, and the size of what it leaves. */
export async function rows(): Promise<Row[]> {
  const folder = join(mkdtempSync(join(tmpdir(), 'install-')), 'clone');
  try {
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', '.', folder]);
    const taken = await timed(async () => execFileSync('npm', ['ci'], { cwd: folder, stdio: 'ignore' }));
    const size = execFileSync('du', ['-sm', 'node_modules', 'local/runtimes/node_modules'], {
      ...{ cwd: folder, encoding: 'utf8' },
    });
    const megabytes = size
      .trim()
      .split('\n')
      .reduce((sum, line) => sum + Number.parseInt(line, 10), 0);
    return [
      { what: 'node_modules after npm ci, against 550 MB', ours: megabytes, against: 550, unit: 'MB', atMost: 1 },
      { what: 'npm ci, against 40 s', ours: taken / 1000, against: 40, unit: 's', atMost: 1 },
    ];
  } finally {
    rmSync(join(folder, '..'), { recursive: true, force: true });
  }
}
