import { truncate } from '../../contract/text.ts';

/** Matches messages about a missing environment variable, as configuration validators and application authors phrase them. */
const MISSING_VARIABLE: readonly RegExp[] = [
  /\benv(?:ironment)?\b.{0,80}\b(?:missing|not (?:found|set|defined)|required|invalid|undefined)\b/i,
  /\b(?:missing|invalid|required|undefined)\b.{0,80}\benv(?:ironment)?\b/i,
  /\b(?:can(?:no|')t|could not|unable to|failed to) (?:resolve|find|read|get|load)\b.{0,40}\benv(?:ironment)? variable/i,
  // Valibot, ArkType and Effect.
  /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b\W{0,3}(?:but received undefined|must be .{0,80}\(was (?:missing|undefined)\)|to exist in the process context)/,
  /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b\W{0,3}(?:(?:is |are |was )?(?:required|missing|undefined|not (?:set|defined|provided))|(?:must|has to) be (?:set|defined|provided))\b/,
];

/** Matches messages of compilers and linters about code: `'env' is not defined  no-undef`, `missing in type '{}' but required in type 'Env'`. */
const ABOUT_CODE = /\bTS\d{4,5}\b|\bType error:|\bReferenceError:|\bno-undef\b|\b(?:in|of) type '/;

/** Returns true if a line reports a missing variable. */
export const lacksVariable = (line: string): boolean =>
  !ABOUT_CODE.test(line) && MISSING_VARIABLE.some((pattern) => pattern.test(line));

/** Matches the path of an issue that zod reports about a field in capitals, as an error's message or its properties show it. */
const REJECTED_FIELD = /\bpath"?: \[\s{0,20}["']([A-Z][A-Z0-9_]{1,99})["']\s{0,20}\]/g;
/** Maximum variables that an advice lists. */
const MAX_LISTED = 10;

/** Returns a phrase with the variables that a validation with zod refused, such as `the variables A, B`; undefined if there are none. */
export function rejectedVariables(output: string): string | undefined {
  const names = [...new Set([...output.matchAll(REJECTED_FIELD)].map(([, name]) => name))].slice(0, MAX_LISTED);
  return names.length === 0 ? undefined : `the variable${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
}

/** Matches libraries' errors about a missing value that applications usually read from a variable. */
const MISSING_VALUE: readonly RegExp[] = [
  /(?:Error|Exception)\b.*\b(?:supabase(?:Url|Key)|secretOrPrivateKey|secret|(?:api|secret|public|publishable) ?key)\b.{0,20}\b(?:required|must have a value|not provided)\b/i,
  /(?:Error|Exception)\b.*\b(?:must specify|requires an?|missing|neither)\b.{0,30}\b(?:secret|client ?id|(?:api|secret|public|publishable) ?key)\b/i,
  // Mongoose, the PostgreSQL driver, and discord.js.
  /(?:Error|Exception)\b.*(?:`uri` parameter to `openUri\(\)` must be a string|client password must be a string|\[TokenInvalid\])/,
];

/** Returns true if a line reports that a library lacks a value. */
export const lacksValue = (line: string): boolean =>
  !ABOUT_CODE.test(line) && MISSING_VALUE.some((pattern) => pattern.test(line));

/** Maximum characters of a message that a failure reason quotes. */
const MAX_QUOTED_CHARACTERS = 200;

/** Returns advice that quotes the message about a missing variable in a build's output; empty if there is no such message. */
export function missingVariableAdvice(output: string): string {
  const rejected = rejectedVariables(output);
  if (rejected !== undefined) return ` Its log refuses the values of variables: set ${rejected}, and deploy again.`;
  const lines = output.split('\n');
  const variableLine = lines.findLast(lacksVariable);
  const line = variableLine ?? lines.findLast(lacksValue);
  if (line === undefined) return '';
  const quoted = truncate(line.trim(), MAX_QUOTED_CHARACTERS);
  const subject =
    variableLine === undefined ? 'the variable from which it reads that value' : 'the variables that it names';
  return ` Its log says "${quoted}": if that is the reason, set ${subject}, and deploy again.`;
}
