import { expect, test } from 'vitest';
import { changesOf } from './audit-changes.ts';

test('shows each field with the values that it had', () => {
  expect(changesOf({ before: { branch: 'main' }, after: { branch: 'next', autoDeploy: true } })).toEqual([
    { field: 'branch', before: 'main', after: 'next' },
    { field: 'autoDeploy', after: 'true' },
  ]);
  expect(changesOf({ before: null, after: null })).toEqual([]);
});

test('leaves out what is empty on both sides, and cuts off long values', () => {
  const shown = changesOf({ before: { a: null, b: 'x'.repeat(500) }, after: { a: '' } });
  expect(shown).toEqual([{ field: 'b', before: `${'x'.repeat(120)}…` }]);
});
