import { expect, test } from 'vitest';
import { tolerate } from './aws-errors.ts';

const failing = (name: string) => Promise.reject(Object.assign(new Error(name), { name }));

test('only the named errors have an answer, also if the answer is undefined', async () => {
  expect(await tolerate(Promise.resolve('found'), { Missing: undefined })).toBe('found');
  expect(await tolerate(failing('Missing'), { Missing: undefined })).toBe(undefined);
  expect(await tolerate(failing('InUse'), { Missing: true, InUse: false })).toBe(false);
  await expect(tolerate(failing('constructor'), { Missing: undefined })).rejects.toThrow('constructor');
  await expect(tolerate(Promise.reject('Missing'), { Missing: undefined })).rejects.toBe('Missing');
});
