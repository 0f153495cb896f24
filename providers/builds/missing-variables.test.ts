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

test('quotes the last message about a variable, cut between characters', () => {
  const message = `A_KEY is not set ${'x'.repeat(182)}🙂`;
  const advice = missingVariableAdvice(`B_KEY is required\n${message}\nat line 1\n`);
  expect(advice).toMatch(/^ Its log says "A_KEY is not set x{182}": if that is the reason, /);
  expect(missingVariableAdvice('error: other\n')).toBe('');
});
