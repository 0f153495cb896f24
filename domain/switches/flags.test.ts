import { expect, test } from 'vitest';
import { expiredFlags, FLAG_NAMES, flagRule } from '../../contract/switches/flags.ts';
import { isOn } from './flags.ts';

const name = 'ai-keep-alive';
const accounts = Array.from({ length: 2000 }, (_, index) => `acc_${index}`);

test('is the default until operators set it', () => {
  expect(isOn({}, name, 'acc_1')).toBe(flagRule(name).default);
  expect(isOn({ [name]: { accounts: {} } }, name, 'acc_1')).toBe(flagRule(name).default);
});

test('is on for all accounts with a share of 100 and for none with 0, and one account may differ', () => {
  expect(accounts.every((id) => isOn({ [name]: { share: 100, accounts: {} } }, name, id))).toBe(true);
  expect(accounts.some((id) => isOn({ [name]: { share: 0, accounts: {} } }, name, id))).toBe(false);
  expect(isOn({ [name]: { share: 0, accounts: { acc_1: true } } }, name, 'acc_1')).toBe(true);
  expect(isOn({ [name]: { share: 100, accounts: { acc_1: false } } }, name, 'acc_1')).toBe(false);
});

test('a share is that part of the accounts, and a larger share includes the accounts of a smaller one', () => {
  const within = (share: number) => accounts.filter((id) => isOn({ [name]: { share, accounts: {} } }, name, id));
  const [some, more] = [within(20), within(60)];
  expect(some.length).toBeGreaterThan(accounts.length * 0.15);
  expect(some.length).toBeLessThan(accounts.length * 0.25);
  expect(more).toEqual(expect.arrayContaining(some));
});

test('a flag expires on its end date', () => {
  const rules = { old: { ends: '2027-01-31' }, young: { ends: '2027-02-01' } };
  expect(expiredFlags(new Date('2027-01-30T23:59:59Z'), rules)).toEqual([]);
  expect(expiredFlags(new Date('2027-01-31T00:00:00Z'), rules)).toEqual(['old']);
  expect(expiredFlags(new Date('2027-02-01T00:00:00Z'), rules)).toEqual(['old', 'young']);
});

test.each(FLAG_NAMES)('%s has an owner and an end date', (each) => {
  const { owner, ends } = flagRule(each);
  expect(owner).not.toBe('');
  expect(new Date(`${ends}T00:00:00Z`).toISOString().slice(0, 10)).toBe(ends);
});
