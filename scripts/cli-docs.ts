/** `npm run cli:docs`: writes docs/cli.md from the commands. A test fails if the file is out of date. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { commands } from '../cli/commands/commands.ts';
import { reference } from '../cli/reference.ts';

writeFileSync(resolve(import.meta.dirname, '../docs/cli.md'), reference(commands));
