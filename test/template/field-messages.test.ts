import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** A message about a field, in the code that refuses it: `throw refuse('name', 'must be …')`, `'invalid_request', 'plan: is …'`. */
const MESSAGE = /(?:refuse\('\w+', |invalid_request',\s*)(['"`])((?:[\w.]+|\$\{\w+\}): )?(.+?)\1/g;
/** The subject is the field's name: the dashboard writes "This" in its place. */
const OWN_SUBJECT = /^(an?|all|any|each|no|our|that|the|there|these|this|those|you|your)\b/i;

test('what the API says of a field begins with a verb, so that it can follow the name of the field', () => {
  const messages = globSync('{contract,domain,runtime}/**/*.ts', { exclude: ['**/*.test.ts'] }).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(MESSAGE)]
      .filter(([all, , field]) => field !== undefined || all.startsWith('refuse('))
      .map(([, , , message]) => `${file}: ${message}`),
  );
  expect(messages.length).toBeGreaterThan(25);
  expect(messages.filter((each) => OWN_SUBJECT.test(each.slice(each.indexOf(': ') + 2)))).toEqual([]);
});
