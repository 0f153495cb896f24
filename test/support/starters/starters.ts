import { API_STARTERS } from './api-frameworks.ts';
import { EXPRESS_STARTERS } from './express.ts';
import { FRAMEWORK_STARTERS } from './frameworks.ts';
import { SERVERS } from './servers.ts';
import { SITES } from './sites.ts';
import type { Starter } from './starter.ts';

/** All starters: detection is tested for each of them in every run, deployment before a release. */
export const STARTERS: readonly Starter[] = [
  ...SERVERS,
  ...EXPRESS_STARTERS,
  ...API_STARTERS,
  ...FRAMEWORK_STARTERS,
  ...SITES,
];

/** Returns the files of a starter as texts. */
export const filesOf = ({ files }: Starter): Record<string, string> =>
  Object.fromEntries(
    Object.entries(files).map(([path, content]) => [
      path,
      typeof content === 'string' ? content : `${JSON.stringify(content, undefined, 2)}\n`,
    ]),
  );
