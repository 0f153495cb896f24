import { chmodSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDirectory } from '../../local/directories.ts';

/** Entries that outlive a test by design: Node's compiled code, the discarded data of local runs, and what Chromium leaves. */
const EXPECTED = /^(?:node-compile-cache|hosting-platform-\d+|\.org\.chromium\..+)$/;

/**
 * Gives this process and the tests that it starts a temporary directory of their own. At the end it is removed, and the entries that
 * tests did not remove themselves are listed.
 */
export function isolateTemporaryFiles(): void {
  const directory = mkdtempSync(join(realpathSync(tmpdir()), 'tests-'));
  // Open to all, as the usual one is: as root, tests start processes of other users, which see and create files in it.
  chmodSync(directory, 0o1777);
  process.env.TMPDIR = directory;
  process.once('exit', () => {
    const left = readdirSync(directory).filter((name) => !EXPECTED.test(name));
    if (left.length) console.log(['\nLeft in the temporary directory by tests:', ...left].join('\n  '));
    // Watchdogs of runs that just ended may be removing the same entries.
    removeDirectory(directory);
  });
}
