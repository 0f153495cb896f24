import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoryStorage } from '../../test/support/memory-storage.ts';
import {
  chooseAccount,
  chosenAccount,
  followAccountLink,
  knownRole,
  leaveAccount,
  rememberQuiet,
  rememberRole,
  wasQuiet,
} from './account-choice.ts';

/** Opens a tab of the browser. Returns a function that runs an action in it. */
function openTab() {
  const storage = new MemoryStorage();
  return <T>(action: () => T): T => {
    vi.stubGlobal('sessionStorage', storage);
    return action();
  };
}

beforeEach(() => {
  vi.stubGlobal('localStorage', new MemoryStorage());
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test('a tab in the login’s own account stays in it when another tab chooses one', () => {
  const [first, second] = [openTab(), openTab()];
  expect(first(chosenAccount)).toBeUndefined();
  second(() => chooseAccount('acc_b', 'read-only'));
  expect([first(chosenAccount), second(chosenAccount)]).toEqual([undefined, 'acc_b']);
});

test('a tab that returned to the login’s own account stays in it, and one in another account in that', () => {
  const [first, second] = [openTab(), openTab()];
  first(() => chooseAccount('acc_b', 'billing'));
  expect(second(chosenAccount)).toBe('acc_b');
  first(() => chooseAccount(undefined, 'owner'));
  expect([first(chosenAccount), second(chosenAccount)]).toEqual([undefined, 'acc_b']);
  second(() => chooseAccount('acc_c', 'billing'));
  expect(first(chosenAccount)).toBeUndefined();
});

test('a new tab begins in the account that was chosen last, with its role', () => {
  const first = openTab();
  first(() => chooseAccount('acc_b', 'read-only'));
  const second = openTab();
  expect([second(chosenAccount), second(knownRole)]).toEqual(['acc_b', 'read-only']);
  first(() => chooseAccount());
  const third = openTab();
  expect([third(chosenAccount), third(knownRole)]).toEqual([undefined, undefined]);
});

test('the role of one account is never that of another tab’s account', () => {
  const [first, second] = [openTab(), openTab()];
  first(chosenAccount);
  first(() => rememberRole('owner'));
  second(() => chooseAccount('acc_b', 'read-only'));
  first(() => rememberRole('owner'));
  expect([first(knownRole), second(knownRole), openTab()(knownRole)]).toEqual(['owner', 'read-only', 'read-only']);
});

test('a link of an email opens the account that it names, in its tab only, and leaves its address', () => {
  const [first, linked] = [openTab(), openTab()];
  first(() => chooseAccount('acc_b', 'read-only'));
  const replaceState = vi.fn();
  vi.stubGlobal('history', { replaceState });
  vi.stubGlobal('location', { href: 'https://example.com/dashboard/billing?tab=1&account=acc_c' });
  linked(followAccountLink);
  expect(String(replaceState.mock.lastCall?.[2])).toBe('https://example.com/dashboard/billing?tab=1');
  expect([linked(chosenAccount), linked(knownRole)]).toEqual(['acc_c', undefined]);
  expect([first(chosenAccount), openTab()(chosenAccount)]).toEqual(['acc_b', 'acc_b']);
  linked(leaveAccount);
  expect([linked(chosenAccount), openTab()(chosenAccount)]).toEqual([undefined, 'acc_b']);
  first(leaveAccount);
  expect([first(chosenAccount), openTab()(chosenAccount)]).toEqual([undefined, undefined]);
  first(() => chooseAccount('acc_b', 'read-only'));
  vi.stubGlobal('location', { href: 'https://example.com/dashboard/?account=acc_c%0Ax' });
  first(followAccountLink);
  expect(first(chosenAccount)).toBe('acc_b');
});

test('that an account had no notices is known in its tabs, and of no other account', () => {
  const [first, second] = [openTab(), openTab()];
  expect(first(wasQuiet)).toBe(false);
  first(() => rememberQuiet(true));
  expect([first(wasQuiet), openTab()(wasQuiet)]).toEqual([true, true]);
  second(() => chooseAccount('acc_b', 'read-only'));
  first(() => rememberQuiet(true));
  expect([second(wasQuiet), openTab()(wasQuiet)]).toEqual([false, false]);
  first(() => rememberQuiet(false));
  expect(first(wasQuiet)).toBe(false);
});
