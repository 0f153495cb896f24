import { entryOf } from '../../../contract/enums.ts';
import type { Command, Word } from './command-line.ts';
import { type Options, WRAPPERS } from './runners.ts';

const ASSIGNMENT = /^[A-Za-z_]\w*=/;
/** Matches package managers, which run scripts. */
export const SCRIPT_RUNNER = /^(npm|pnpm|yarn|bun)$/;

/** Removes assignments and wrappers before a program. `dynamic`: only a shell can evaluate them. */
export function unwrap(command: Command): { words: Word[]; environment: Record<string, string>; dynamic: boolean } {
  let words = [...command.words];
  let dynamic = false;
  const environment: Record<string, string> = {};
  for (let first = words[0]; first; first = words[0]) {
    if (ASSIGNMENT.test(first.text)) {
      const equals = first.text.indexOf('=');
      environment[first.text.slice(0, equals)] = first.text.slice(equals + 1);
      dynamic ||= first.dynamic;
      words = words.slice(1);
    } else if (Object.hasOwn(WRAPPERS, first.text)) {
      const skipped = skipOptions(words.slice(1), WRAPPERS[first.text] ?? {});
      words = skipped.words;
      dynamic ||= skipped.isUnknown;
    } else if (SCRIPT_RUNNER.test(first.text) && /^(exec|dlx|x)$/.test(words[1]?.text ?? '')) {
      words = words.slice(words[2]?.text === '--' ? 3 : 2);
    } else break;
  }
  return { words, environment, dynamic };
}

/** Removes a wrapper's options before the program that it runs. `isUnknown`: at least one option is unknown. */
function skipOptions(words: readonly Word[], options: Options): { words: Word[]; isUnknown: boolean } {
  let rest = [...words];
  let isUnknown = false;
  for (let word = rest[0]; word?.text.startsWith('-'); word = rest[0]) {
    const [name = '', inline] = word.text.split('=', 2);
    const meaning = name === '--' ? {} : entryOf(options, name);
    isUnknown ||= meaning === undefined;
    rest = rest.slice(meaning?.takesValue && inline === undefined ? 2 : 1);
  }
  return { words: rest, isUnknown };
}
