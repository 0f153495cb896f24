import { type Command, GLOBAL_OPTIONS } from '../command.ts';
import { findCommand, flagsOf, wordsOf } from '../parse.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The command that completion scripts call with the words typed so far. */
export const COMPLETE = '__complete';

/** The completion scripts. They ask `hosting` for the candidates, so that they stay valid when commands are added. */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_hosting() {
  COMPREPLY=()
  while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(
    compgen -W "$(hosting ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"
  )
}
complete -o default -F _hosting hosting
`,
  zsh: `#compdef hosting
_hosting() {
  local -a candidates
  candidates=("\${(@f)$(hosting ${COMPLETE} "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
  compadd -- $candidates
}
compdef _hosting hosting
`,
  fish: `complete -c hosting -a '(hosting ${COMPLETE} (commandline -opc)[2..] (commandline -ct) 2> /dev/null)'
`,
};

/** Returns the candidates for the last word. */
export function candidates(commands: readonly Command[], words: readonly string[]): string[] {
  const before = wordsOf(commands, words.slice(0, -1));
  const last = words.at(-1) ?? '';
  const found = findCommand(commands, before)?.command;
  const options = [...(found?.options ?? []), ...GLOBAL_OPTIONS];
  const previous = options.find((option) => flagsOf(option).includes(words.at(-2) ?? ''));
  if (previous?.value) return (previous.choices ?? []).filter((choice) => choice.startsWith(last));
  const next = commands
    .map(({ name }) => name.split(' '))
    .filter((name) => before.every((word, index) => name[index] === word))
    .flatMap((name) => name[before.length] ?? []);
  const flags = found || last.startsWith('-') ? options.map(({ name }) => `--${name}`) : [];
  return [...new Set([...next, ...flags])].filter((candidate) => candidate.startsWith(last)).toSorted();
}
