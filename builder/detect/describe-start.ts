import { quoteWord } from '../../providers/builds/detection/command-line.ts';
import type { Start } from './existing-start.ts';

/** Describes a start for the owner: `node dist/index.js`, `files of dist`, `default export of dist/server.js and files of dist/client`. */
export function describeStart(start: Start): string {
  const where = 'directory' in start && start.directory !== '' ? ` (in ${start.directory})` : '';
  switch (start.kind) {
    case 'node':
      return `${['node', ...start.options, start.file, ...start.args].map(quoteWord).join(' ')}${where}`;
    case 'shell':
      return `${start.command}${where}`;
    case 'site':
      return `files of ${start.directory === '' ? 'the repository' : start.directory}`;
    case 'export':
      return `default export of ${start.module}${start.files === undefined ? '' : ` and files of ${start.files}`}`;
  }
}
