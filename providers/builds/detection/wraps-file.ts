import { baseName, parseCommandLine } from './command-line.ts';
import { PACKAGE_MANAGERS, PROCESS_MANAGERS, WATCHERS } from './programs.ts';
import { RUNNERS } from './runners.ts';
import { unwrap } from './unwrap.ts';

/**
 * Returns true if a start is a single command in which another program of a release runs a file: `dotenv -- node a.js`. Managers and
 * watchers are no such programs, nor are those of the owner's machine (`sudo`, `doppler`).
 * @param isFile returns true for a word that names the file
 * @param isProvided returns true for a program that a dependency provides
 */
export function wrapsFile(
  start: { kind: string; command?: string; program?: string; args?: readonly string[] },
  isFile: (word: string) => boolean,
  isProvided: (program: string) => boolean,
): boolean {
  const [command, ...others] = start.kind === 'shell' ? (parseCommandLine(start.command ?? '') ?? []) : [];
  const ofShell = command && unwrap(command).words.map(({ text }) => text);
  const words = ofShell ?? [start.program ?? '', ...(start.args ?? [])];
  const runner = words.findIndex((word) => Object.hasOwn(RUNNERS, baseName(word)));
  if (others.length > 0 || runner < 0 || !words.slice(runner + 1).some(isFile)) return false;
  const [first = ''] = words;
  if (!/^node(js)?$/.test(first) && !isProvided(first)) return false;
  const before = words.slice(0, runner + 1);
  return !before.some((word) => [PACKAGE_MANAGERS, PROCESS_MANAGERS, WATCHERS].some((kind) => kind.test(word)));
}
