import type { Command } from './command-line.ts';
import { FRAMEWORK_STARTS } from './programs.ts';
import { unwrap } from './unwrap.ts';

/** Maximum characters of a command that is searched for `npx`. */
const MAX_SEARCHED = 10_000;
/** Package managers that run a package's program if its name is given instead of a script's. */
const RUNS_PROGRAMS = /^(pnpm|yarn)$/;
/** Commands of pnpm and Yarn, which take precedence over programs of the same name. Yarn's `node` is not listed, because it runs Node. */
const OWN_COMMANDS =
  /^(add|audit|bin|build|cache|ci|config|create|dedupe|deploy|dlx|env|exec|fetch|global|help|i|import|info|init|install|link|list|ls|npm|outdated|pack|plugin|prune|publish|rebuild|remove|restart|run|set|start|stop|store|test|unlink|up|update|upgrade|version|why|workspace|workspaces|x)$/;

/** Matches `npx` and similar programs with their options, after the operators and assignments that precede them in a shell command. */
const RUNNER =
  /((?:^|[|;&(])\s*(?:[A-Za-z_]\w*=\S*\s+)*)(?:npx|bunx|(?:npm|pnpm|yarn) exec)(?:\s+(?:--|-y|--yes|--no|--no-install|-q|--quiet))*\s+(?=[\w@.])/g;

/**
 * Removes `npx` from shell commands: a release has no `npx`, and its shell finds the programs of packages. A command that is too long stays
 * unchanged, because matching takes time quadratic in the length (`;a=;a=`) and a request waits for it.
 */
export const withoutRunner = (command: string): string =>
  command.length > MAX_SEARCHED ? command : command.replace(RUNNER, '$1');

/** Matches Bun with its options, before a package's program or the file that it runs itself. */
const BUN = /(?<=^|\s)bun (?:--bun )?(?:run )?(?:--bun )?(?=\w)/;

/** Matches Bun with its options, before a JavaScript file, which Node runs as well. Others of its options change what runs. */
const BUN_FILE = /(?<=^|\s)bun (?:(?:run|--bun|--hot|--watch|--smol) )*(?=[\w./-]+\.[cm]?js(?: |$))/;

/**
 * Replaces Bun by Node in a command that runs a JavaScript file, and removes it from one that starts a framework's build output:
 * `bun --bun run next start`. Bun itself runs most other words as files, those of TypeScript too.
 */
function withoutBun(command: Command, at: number): Command {
  const words = command.words.slice(at).map(({ text }) => text);
  const [run] = BUN_FILE.exec(words.join(' ')) ?? [];
  if (run !== undefined) {
    const node = [{ text: 'node', dynamic: false }, ...command.words.slice(at + run.split(' ').length - 1)];
    return { words: [...command.words.slice(0, at), ...node], text: command.text.replace(BUN_FILE, 'node ') };
  }
  const [bun] = BUN.exec(words.join(' ')) ?? [''];
  const removed = bun.split(' ').length - 1;
  const program = words.slice(removed).join(' ');
  if (!FRAMEWORK_STARTS.some((pattern) => pattern.test(program))) return command;
  return {
    words: [...command.words.slice(0, at), ...command.words.slice(at + removed)],
    text: command.text.replace(BUN, ''),
  };
}

/**
 * Removes Yarn or pnpm from a command that runs Node or a package's program: `yarn node app.js`, `pnpm run tsx app.ts`. Commands that run
 * a script have been replaced before.
 */
export function withoutManager(command: Command): Command {
  const { words, text } = command;
  const at = words.length - unwrap(command).words.length;
  if (words[at]?.text === 'bun') return withoutBun(command, at);
  const run = words[at + 1]?.text === 'run' ? 1 : 0;
  const program = words[at + 1 + run];
  if (!RUNS_PROGRAMS.test(words[at]?.text ?? '') || program === undefined || program.dynamic) return command;
  if (!/^@?\w[\w./-]*$/.test(program.text) || OWN_COMMANDS.test(program.text)) return command;
  return {
    words: [...words.slice(0, at), ...words.slice(at + 1 + run)],
    text: text.replace(/(?<=^|\s)(yarn|pnpm)\s+(run\s+)?/, ''),
  };
}
