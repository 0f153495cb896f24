import { posix } from 'node:path';
import { entryOf } from '../../../contract/enums.ts';
import { quoteWord, type Word } from './command-line.ts';
import { NO_CONFIG, type NodemonConfig } from './manifest.ts';

/** The scripts of a package. */
export type Scripts = Readonly<Record<string, string>>;

/** The packages of a repository, by their directories relative to the application's. */
export interface Packages {
  /** Returns the scripts of a directory's package; undefined if it has none. */
  scriptsOf(directory: string): Scripts | undefined;
  /** Returns the directory of a workspace by its name or path; undefined if there is none. */
  directoryOf(workspace: string): string | undefined;
  /** Returns the configuration of nodemon in a directory. */
  nodemonConfigOf(directory: string): NodemonConfig;
}

/** Returns the packages of an application if only its own scripts are known. */
export const onePackage = (scripts: Scripts): Packages => ({
  scriptsOf: (directory) => (directory === '' ? scripts : undefined),
  directoryOf: () => undefined,
  nodemonConfigOf: () => NO_CONFIG,
});

/** Options that select the package whose script runs: by its directory, or by its workspace, which a subcommand may also name. */
interface Locations {
  directory: readonly string[];
  workspace: readonly string[];
  subcommand?: string;
}
/** The options of each package manager. */
const LOCATIONS: Readonly<Record<string, Locations>> = {
  npm: { directory: ['--prefix', '-C'], workspace: ['-w', '--workspace'] },
  pnpm: { directory: ['-C', '--dir', '--prefix'], workspace: ['-F', '--filter'] },
  yarn: { directory: ['--cwd'], workspace: [], subcommand: 'workspace' },
  bun: { directory: ['--cwd'], workspace: ['-F', '--filter'] },
};
const RUN = /^run(-script)?$/;
const QUIET = /^(-s|--silent|--if-present|--color|-q|--bun)$/;

/** A script that a command runs. */
export interface FoundScript {
  name: string;
  args: Word[];
  /** The directory of its package. */
  directory: string;
  scripts: Scripts;
}

/**
 * Returns the script that a command such as `npm run x` runs, with its additional arguments; undefined for other commands.
 * @param at the directory in which the command runs
 */
export function scriptOf(words: readonly Word[], at: string, packages: Packages): FoundScript | undefined {
  const [program, ...rest] = words;
  const located = program && locate(program.text, rest, at, packages);
  if (located?.directory === undefined) return undefined;
  const directory = posix.normalize(located.directory).replace(/^\.$|\/$/, '');
  const scripts = packages.scriptsOf(directory);
  const [first, ...others] = located.words;
  const isRun = first !== undefined && RUN.test(first.text);
  const [name, args] = isRun ? [others[0], others.slice(1)] : [first, others];
  if (name === undefined || name.dynamic || !scripts || !Object.hasOwn(scripts, name.text)) return undefined;
  if (!isRun && program?.text === 'npm' && !/^(start|test|stop|restart)$/.test(name.text)) return undefined;
  return { name: name.text, args: args[0]?.text === '--' ? args.slice(1) : args, directory, scripts };
}

/**
 * Returns the directory of the package that a package manager's options select (undefined if it does not exist), and the remaining words.
 * Returns undefined for other programs.
 */
function locate(
  program: string,
  words: readonly Word[],
  at: string,
  packages: Packages,
): { directory: string | undefined; words: Word[] } | undefined {
  const locations = entryOf(LOCATIONS, program);
  if (!locations) return undefined;
  const rest = [...words];
  const remaining: Word[] = [];
  let directory: string | undefined = at;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const isNamed = remaining.some(({ text }) => !RUN.test(text));
    const [option = '', inline] = word.text.split('=', 2);
    const value = () => inline ?? rest.shift()?.text ?? '';
    // Options after a script's name belong to the script, except with npm.
    if (word.text === '--') remaining.push(word, ...rest.splice(0));
    else if (isNamed && program !== 'npm') remaining.push(word);
    else if (locations.directory.includes(option)) directory = posix.join(at, value());
    else if (locations.workspace.includes(option)) directory = packages.directoryOf(value());
    else if (remaining.length === 0 && word.text === locations.subcommand)
      directory = packages.directoryOf(rest.shift()?.text ?? '');
    else if (!QUIET.test(word.text)) remaining.push(word);
  }
  return { directory, words: remaining };
}

/** Options with which npm-run-all still runs scripts one after another. */
const SEQUENCE_OPTIONS = /^(-s|--serial|--sequential|--series|--silent|-l|--print-label|-n|--print-name)$/;
/** Maximum patterns of a command; each may match all scripts. */
export const MAX_PATTERNS = 20;

/** Returns the scripts that a pattern names. `a:*` matches those that begin with `a:` and have no further colon, `a:**` all that begin with it. */
export function namesOfScripts(pattern: string, scripts: Scripts): string[] {
  const [, prefix, stars] = /^(.*[:-])(\*{1,2})$/.exec(pattern) ?? [];
  if (prefix === undefined) return Object.hasOwn(scripts, pattern) ? [pattern] : [];
  return Object.keys(scripts).filter(
    (name) => name.startsWith(prefix) && (stars === '**' || !name.slice(prefix.length).includes(':')),
  );
}

/**
 * Translates a command of npm-run-all that runs scripts one after another: `run-s a b` becomes `npm run a && npm run b`. Returns undefined
 * for other commands.
 */
export function scriptsInSequence(words: readonly Word[], at: string, packages: Packages): string | undefined {
  const [program = '', ...rest] = words.map(({ text }) => text);
  if (!/^(run-s|npm-run-all)$/.test(program)) return undefined;
  const patterns = rest.filter((word) => !SEQUENCE_OPTIONS.test(word));
  if (patterns.length > MAX_PATTERNS || !patterns.every((pattern) => /^\w[\w.:-]*\*{0,2}$/.test(pattern)))
    return undefined;
  const scripts = packages.scriptsOf(at) ?? {};
  const named = patterns.map((pattern) => namesOfScripts(pattern, scripts));
  if (named.length === 0 || named.some((names) => names.length === 0)) return undefined;
  return named
    .flat()
    .map((name) => `npm run ${quoteWord(name)}`)
    .join(' && ');
}
