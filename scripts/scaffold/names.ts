import { AREAS } from '../boundaries.ts';

/** An error that the contributor can correct. Only its message is shown. */
export class UsageError extends Error {}

/** Splits `getThing`, `Thing` or `make-thing` into lower-case words. */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s-]+/);

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `getThing` → `get-thing`: names of files and of paths. */
export const kebab = (name: string): string => wordsOf(name).join('-');
/** `getThing` → `GET_THING`: names of variables of the environment, types of entities. */
export const constant = (name: string): string => wordsOf(name).join('_').toUpperCase();
/** `make-thing` → `makeThing`: names of functions. */
export const camel = (name: string): string => {
  const [first = '', ...others] = wordsOf(name);
  return first + others.map(capitalized).join('');
};
/** `make-thing` → `MakeThing`: names of entities, schemas and stacks. */
export const pascal = (name: string): string => wordsOf(name).map(capitalized).join('');
/** `SupportTicket` → `support ticket`: a noun in a sentence. */
export const spoken = (name: string): string => wordsOf(name).join(' ');

/** `getThing` → `Get a thing`, `listThings` → `List things`: a name as a sentence. */
export function sentence(name: string): string {
  const [verb = '', ...nouns] = wordsOf(name);
  const noun = nouns.join(' ');
  const article = noun === '' || singular(noun) !== noun ? '' : /^[aeiou]/.test(noun) ? 'an ' : 'a ';
  return `${capitalized(verb)} ${article}${noun}`.trim();
}

/** English plural of a noun in kebab case, as it stands in a path. */
export function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** English singular of a plural noun in kebab case. */
export const singular = (noun: string): string =>
  noun
    .replace(/ies$/, 'y')
    .replace(/(s|x|z|ch|sh)es$/, '$1')
    .replace(/(\w\w[^s])s$/, '$1');

/** Parses a name that becomes an identifier. @throws UsageError if it cannot be one */
export function parseName(name: string | undefined, example: string): string {
  if (name && /^[a-zA-Z][a-zA-Z0-9]*(?:-[a-zA-Z0-9]+)*$/.test(name)) return name;
  throw new UsageError(`a name such as ${example} is required`);
}

/** Parses the area. @throws UsageError if it does not exist */
export function parseArea(area: string | undefined): string {
  if (area && Object.hasOwn(AREAS, area)) return area;
  throw new UsageError(`--area must be one of ${Object.keys(AREAS).sort().join(', ')}`);
}
