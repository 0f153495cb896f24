/** `npm run local:reset`: deletes everything that the local run stored. */
import { basename } from 'node:path';
import { deleteDataDirectory, UserError } from './data-directory.ts';
import { readSettings } from './settings.ts';

const { DATA_DIR = '.local' } = readSettings(process.env);

try {
  if (DATA_DIR !== ':memory:' && deleteDataDirectory(DATA_DIR))
    console.log(`The data in ${basename(DATA_DIR)} was deleted. The next start begins with none`);
  else console.log('Nothing to delete');
} catch (error) {
  console.error(error instanceof UserError ? error.message : error);
  process.exit(1);
}
