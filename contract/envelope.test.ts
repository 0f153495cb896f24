import { expect, test } from 'vitest';
import { Email } from './envelope.ts';

test('refuses an email address that is too long for Cognito', () => {
  const ofLength = (length: number) => `${'A'.repeat(64)}@${'b'.repeat(length - 69)}.com`;
  expect(Email().parse(ofLength(128))).toBe(ofLength(128).toLowerCase());
  expect(Email().safeParse(ofLength(129)).success).toBe(false);
});
