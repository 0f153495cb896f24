/** Writes docs/cli.md from the commands: `npm run cli:docs`. A test fails where it is out of date. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { commands } from '../cli/commands/commands.ts';
import { reference } from '../cli/reference.ts';

writeFileSync(resolve(import.meta.dirname, '../docs/cli.md'), reference(commands));
