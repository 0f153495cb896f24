import { expect, test } from 'vitest';
import { servingAfter } from './serving.ts';

const NEWEST = ['dep_4', 'dep_3', 'dep_2'].map((id) => ({ id }));

test('a failed deployment is followed by a newer one, preceded by the live one, or the first', () => {
  expect(servingAfter('dep_3', 'dep_4', NEWEST)).toBe('NEWER');
  expect(servingAfter('dep_3', 'dep_2', NEWEST)).toBe('EARLIER');
  expect(servingAfter('dep_3', null, NEWEST)).toBe('NONE');
});

test('a deployment that is not listed is older than the listed ones', () => {
  expect(servingAfter('dep_1', 'dep_2', NEWEST)).toBe('NEWER');
  expect(servingAfter('dep_3', 'dep_1', NEWEST)).toBe('EARLIER');
});

test('nothing is said to be live if the application cannot be read, or neither deployment is listed', () => {
  expect(servingAfter('dep_3', undefined, NEWEST)).toBeUndefined();
  expect(servingAfter('dep_1', 'dep_0', NEWEST)).toBeUndefined();
});
