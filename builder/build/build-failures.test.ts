import { expect, test } from 'vitest';
import { buildFailureAdvice } from './build-failures.ts';

test('a program that a shell misses is the cause only if it is among the last messages', () => {
  const missing = 'sh: 1: husky: not found\n';
  expect(buildFailureAdvice(`${missing}npm error code 127\n`, 'npm run build')).toContain(
    'provides the program "husky"',
  );
  expect(buildFailureAdvice(`${missing}${'a.ts: error TS2322\n'.repeat(200)}`, 'npm run build')).toBe('');
});
