import { expect, test } from 'vitest';
import { createRegistrar } from './registrar.ts';

const failing = (name: string) => createRegistrar(() => Promise.reject(Object.assign(new Error(`${name}!`), { name })));

test('a domain that is not in the account is not registered here', async () => {
  await expect(failing('InvalidInput').registered('shop.co.za')).resolves.toBeUndefined();
});

test('an extension that the registrar does not sell is no failure', async () => {
  await expect(failing('UnsupportedTLD').availability('shop.africa')).resolves.toBe('UNSUPPORTED');
});

test.each(['ThrottlingException', 'TimeoutError', 'AccessDeniedException', 'UnsupportedTLD', 'Http503'])(
  '%s says nothing about a domain',
  async (name) => {
    await expect(failing(name).registered('shop.co.za')).rejects.toThrow(`${name}!`);
  },
);
