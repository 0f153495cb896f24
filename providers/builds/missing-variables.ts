/** Messages about a variable that an application needs and lacks, as validators of configurations and their owners word them. */
export const MISSING_VARIABLE: readonly RegExp[] = [
  /\benv(?:ironment)?\b.{0,80}\b(?:missing|not (?:found|set|defined)|required|invalid|undefined)\b/i,
  /\b(?:missing|invalid|required|undefined)\b.{0,80}\benv(?:ironment)?\b/i,
  /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b\W{0,3}(?:(?:is |are |was )?(?:required|missing|undefined|not (?:set|defined|provided))|(?:must|has to) be (?:set|defined|provided))\b/,
];

/** Characters of a message that a failure quotes. */
const MAX_QUOTED_CHARACTERS = 200;

/** Returns what to do about a variable that a build lacks by its output, with the message; empty if it lacks none. */
export function missingVariableAdvice(output: string): string {
  const line = output.split('\n').findLast((each) => MISSING_VARIABLE.some((pattern) => pattern.test(each)));
  if (line === undefined) return '';
  return ` Its log says "${line.trim().slice(0, MAX_QUOTED_CHARACTERS)}": set the variables that it names, and deploy again.`;
}
