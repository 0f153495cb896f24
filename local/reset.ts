/** `npm run local:reset`: deletes everything that the local run stored. */
import { existsSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openDataDirectory, UserError } from './data-directory.ts';

const { DATA_DIR = '.local' } = process.env;

try {
  if (DATA_DIR === ':memory:' || !existsSync(DATA_DIR)) console.log('Nothing to delete');
  else {
    // Only deletes directories of a run, so that a wrong DATA_DIR does no harm.
    if (!existsSync(join(DATA_DIR, 'lock.db')))
      throw new UserError(`${DATA_DIR} is not a data directory of the platform, so nothing was deleted.`);
    openDataDirectory(DATA_DIR).release();
    rmSync(DATA_DIR, { recursive: true, force: true });
    console.log(`${basename(DATA_DIR)} was deleted. The next start creates it again`);
  }
} catch (error) {
  console.error(error instanceof UserError ? error.message : error);
  process.exit(1);
}
