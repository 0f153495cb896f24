import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The problem of a field, in the code that refuses it: `throw invalidField('name', 'must be …')`. */
const PROBLEM = /\binvalidField\([^;]*?,\s*(['"`])(.+?)\1\s*,?\s*\)/g;
/** A field within the text of a message, where nothing keeps it apart from the problem. */
const FIELD_IN_TEXT = /'invalid_request',\s*(['"`])(?:[\w.-]+|\$\{[^}]+\}): /;
/** The subject is the field's name: the dashboard writes "This" in its place. */
const OWN_SUBJECT = /^(an?|all|any|each|no|our|that|the|there|these|this|those|you|your)\b/i;

const sources = globSync('{contract,domain,providers,runtime}/**/*.ts', { exclude: ['**/*.test.ts'] }).map((file) => ({
  file,
  source: readFileSync(file, 'utf8'),
}));

test('what the API says of a field begins with a verb, so that it can follow the name of the field', () => {
  const messages = sources.flatMap(({ file, source }) =>
    [...source.matchAll(PROBLEM)].map(([, , problem = '']) => ({ file, problem })),
  );
  expect(messages.length).toBeGreaterThan(45);
  expect(messages.filter(({ problem }) => OWN_SUBJECT.test(problem))).toEqual([]);
});

test('an error about a field is created with the field’s name, from which the dashboard finds the input', () => {
  const texts = sources.filter(({ file, source }) => file !== 'contract/errors.ts' && FIELD_IN_TEXT.test(source));
  expect(texts.map(({ file }) => file)).toEqual([]);
});
