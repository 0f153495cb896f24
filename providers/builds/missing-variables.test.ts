import { expect, test } from 'vitest';
import { lacksVariable, missingVariableAdvice } from './missing-variables.ts';

test.each([
  "  3:5  error  'env' is not defined  no-undef",
  "src/a.ts(3,7): error TS18048: 'env' is possibly 'undefined'.",
  "Type error: Property 'DB' is missing in type '{}' but required in type 'Env'.",
  'ReferenceError: API_KEY is not defined',
])('an error in the code is not about a missing variable: %s', (line) => {
  expect(lacksVariable(line)).toBe(false);
});

test('names the variables that zod refuses in a build', () => {
  const issue = (name: string) => `  {\n    "path": [\n      "${name}"\n    ],\n    "message": "Required"\n  }`;
  const output = `Error: failed\nZodError: [\n${issue('API_KEY')},\n${issue('name')},\n${issue('PORTAL')}\n]\n`;
  expect(missingVariableAdvice(output)).toBe(
    ' Its log refuses the values of variables: set the variables API_KEY, PORTAL, and deploy again.',
  );
});

test('quotes the last message about a variable, cut between characters', () => {
  const message = `A_KEY is not set ${'x'.repeat(182)}🙂`;
  const advice = missingVariableAdvice(`B_KEY is required\n${message}\nat line 1\n`);
  expect(advice).toMatch(/^ Its log says "A_KEY is not set x{182}": if that is the reason, /);
  expect(missingVariableAdvice('error: other\n')).toBe('');
});
