import { truncate } from '../../contract/text.ts';

/** Messages about a variable that an application needs and lacks, as validators of configurations and their owners word them. */
const MISSING_VARIABLE: readonly RegExp[] = [
  /\benv(?:ironment)?\b.{0,80}\b(?:missing|not (?:found|set|defined)|required|invalid|undefined)\b/i,
  /\b(?:missing|invalid|required|undefined)\b.{0,80}\benv(?:ironment)?\b/i,
  /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b\W{0,3}(?:(?:is |are |was )?(?:required|missing|undefined|not (?:set|defined|provided))|(?:must|has to) be (?:set|defined|provided))\b/,
];

/** Messages of compilers and linters about code: `'env' is not defined  no-undef`, `missing in type '{}' but required in type 'Env'`. */
const OF_CODE = /\bTS\d{4,5}\b|\bType error:|\bReferenceError:|\bno-undef\b|\b(?:in|of) type '/;

/** Returns true for a line that says that a variable is missing. */
export const lacksVariable = (line: string): boolean =>
  !OF_CODE.test(line) && MISSING_VARIABLE.some((pattern) => pattern.test(line));

/** Errors of libraries about a value that they were not given, which applications read from a variable. */
const MISSING_VALUE: readonly RegExp[] = [
  /(?:Error|Exception)\b.*\b(?:supabase(?:Url|Key)|secretOrPrivateKey|secret|(?:api|secret|public|publishable) ?key)\b.{0,20}\b(?:required|must have a value|not provided)\b/i,
  /(?:Error|Exception)\b.*\b(?:must specify|requires an?|missing|neither)\b.{0,30}\b(?:secret|client ?id|(?:api|secret|public|publishable) ?key)\b/i,
  // Mongoose; the driver of PostgreSQL; discord.js.
  /(?:Error|Exception)\b.*(?:`uri` parameter to `openUri\(\)` must be a string|client password must be a string|\[TokenInvalid\])/,
];

/** Returns true for a line that says that a library was not given a value. */
export const lacksValue = (line: string): boolean =>
  !OF_CODE.test(line) && MISSING_VALUE.some((pattern) => pattern.test(line));

/** Characters of a message that a failure quotes. */
const MAX_QUOTED_CHARACTERS = 200;

/** Returns what to do about a variable that a build seems to lack by its output, with the message; empty for no such message. */
export function missingVariableAdvice(output: string): string {
  const lines = output.split('\n');
  const naming = lines.findLast(lacksVariable);
  const line = naming ?? lines.findLast(lacksValue);
  if (line === undefined) return '';
  const quoted = truncate(line.trim(), MAX_QUOTED_CHARACTERS);
  const what = naming === undefined ? 'the variable from which it reads that value' : 'the variables that it names';
  return ` Its log says "${quoted}": if that is the reason, set ${what}, and deploy again.`;
}
