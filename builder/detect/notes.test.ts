import { expect, test } from 'vitest';
import { warningsFor } from './notes.ts';

test.each([
  ['express-basic-auth', /no password prompt/],
  ['socket.io', /serves WebSockets/],
  ['better-sqlite3', /keeps data in files/],
])('the log says what of %s does not work', (name, said) => {
  expect(warningsFor({ dependencies: { [name]: '1.0.0', express: '5.0.0' } })).toEqual([expect.stringMatching(said)]);
});

test('the log says nothing about other dependencies', () => {
  expect(warningsFor({ dependencies: { express: '5.0.0' } })).toEqual([]);
});
