/** `npm run local:reset`: forgets everything that the local run has stored. */
import { existsSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openDataDirectory, Trouble } from './data-directory.ts';

const { DATA_DIR = '.local' } = process.env;

try {
  if (DATA_DIR === ':memory:' || !existsSync(DATA_DIR)) console.log('nothing to forget');
  else {
    // Only what a run has made: a DATA_DIR that points elsewhere by mistake is left alone.
    if (!existsSync(join(DATA_DIR, 'lock.db')))
      throw new Trouble(`${DATA_DIR} is not a data directory of the platform.`);
    openDataDirectory(DATA_DIR).release();
    rmSync(DATA_DIR, { recursive: true, force: true });
    console.log(`${basename(DATA_DIR)} is gone; the next start begins anew`);
  }
} catch (error) {
  console.error(error instanceof Trouble ? error.message : error);
  process.exit(1);
}
