import { expect, test } from 'vitest';
import { createRegistrar } from './registrar.ts';

const failing = (name: string) => createRegistrar(() => Promise.reject(Object.assign(new Error(`${name}!`), { name })));

test('a domain that is not in the account counts as not registered', async () => {
  await expect(failing('InvalidInput').registered('shop.co.za')).resolves.toBeUndefined();
});

test('a TLD that the registrar does not sell is not an error', async () => {
  await expect(failing('UnsupportedTLD').availability('shop.africa')).resolves.toBe('UNSUPPORTED');
});

test.each(['ThrottlingException', 'TimeoutError', 'AccessDeniedException', 'UnsupportedTLD', 'Http503'])(
  '%s says nothing about a domain',
  async (name) => {
    await expect(failing(name).registered('shop.co.za')).rejects.toThrow(`${name}!`);
  },
);
