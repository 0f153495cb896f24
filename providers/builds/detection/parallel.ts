import { quoteWord, type Word } from './command-line.ts';
import { MAX_PATTERNS, namesOfScripts, type Packages } from './script-command.ts';

/** Matches programs that run several commands at the same time, with their arguments. */
const RUNS_AT_ONCE = /^(?:concurrently|run-p|npm-run-all2? (?:.* )?(?:-p|--parallel)(?: |$))/;
/** Options of concurrently that are followed by a value. */
const WITH_VALUE =
  /^(-m|--max-processes|-n|--names|--name-separator|-s|--success|-p|--prefix|-c|--prefix-colors|-l|--prefix-length|-t|--timestamp-format|--restart-tries|--restart-after|--default-input-target|--hide|--kill-signal|--kill-timeout|--cwd)$/;
/** Options that do not change which commands run; those of npm-run-all have other names than those of concurrently. */
const FLAG =
  /^(-k|--kill-others|--kill-others-on-fail|-r|--raw|--race|-g|--group|--no-color|-i|--handle-input|--timings|--pad-prefix|--passthrough-arguments|-P|--parallel|-l|--print-label|-n|--print-name|--silent|-c|--continue-on-error|-s)$/;

/** Returns true if a command runs several commands at the same time. @param line its words, separated by spaces */
export const runsAtOnce = (line: string): boolean => RUNS_AT_ONCE.test(line);

/** Returns the commands that a command runs at the same time; undefined for other commands, for unknown options and for too many commands. */
export function commandsAtOnce(words: readonly Word[], at: string, packages: Packages): string[] | undefined {
  const [program = '', ...rest] = words.map(({ text }) => text);
  if (!runsAtOnce([program, ...rest].join(' '))) return undefined;
  const isConcurrently = program === 'concurrently';
  const commands: string[] = [];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [option = '', inline] = word.split('=', 2);
    const isOption = word.startsWith('-');
    if (isOption && isConcurrently && WITH_VALUE.test(option)) {
      if (inline === undefined) rest.shift();
    } else if (isOption && !(FLAG.test(word) || (!isConcurrently && /^(-p|-r)$/.test(word)))) return undefined;
    else if (!isOption) commands.push(word);
  }
  if (commands.length > MAX_PATTERNS) return undefined;
  const all = commands.flatMap((command) => {
    const pattern = isConcurrently ? /^(?:npm|pnpm|yarn|bun):(\S+)$/.exec(command)?.[1] : command;
    if (pattern === undefined) return [command];
    const names = namesOfScripts(pattern, packages.scriptsOf(at) ?? {});
    // One more than allowed is enough to refuse them.
    return (names.length > 0 ? names : [pattern])
      .slice(0, MAX_PATTERNS + 1)
      .map((name) => `npm run ${quoteWord(name)}`);
  });
  return all.length > MAX_PATTERNS ? undefined : all;
}

/** Matches the part of a script that if-env runs in production. The operator `??` is its own. */
const CONDITION = /^(?:npx )?if-env NODE_ENV=(\w+) (?:&&|\?\?) ([^|]+) \|\| ([^|]+)$/;

/** Returns the commands that a script runs in production: those of the right branch, if it asks if-env for the environment. */
export const inProduction = (script: string): string =>
  script.replace(CONDITION, (_, environment, then, otherwise) => (environment === 'production' ? then : otherwise));
