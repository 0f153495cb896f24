import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { getMe } from '../../contract/accounts/me.ts';
import { leaveAccount } from '../../contract/accounts/members.ts';
import { listApps } from '../../contract/apps/apps.ts';
import { ACCOUNT_HEADER } from '../../contract/roles.ts';
import { MemoryStorage } from '../../test/support/memory-storage.ts';
import { chooseAccount } from '../login/account-choice.ts';
import type { Session } from '../login/session.ts';
import { Api } from './api.ts';

const settings = { apiUrl: 'http://api', issuer: '', clientId: '', exampleRepository: '' };
const session = { token: async () => 'token', markRejected: () => undefined } as unknown as Session;

/** The account that the login has as its own, and the requests that arrived: the operation and the account that it named. */
let own = 'acc_a';
let requests: [string, string | undefined][] = [];

async function answer(url: string, { method, headers }: RequestInit): Promise<Response> {
  const named = new Headers(headers).get(ACCOUNT_HEADER) ?? undefined;
  requests.push([`${method ?? 'GET'} ${new URL(url).pathname}`, named]);
  return Response.json({ data: { account: { id: named ?? own } } });
}

beforeEach(() => {
  own = 'acc_a';
  requests = [];
  vi.stubGlobal('sessionStorage', new MemoryStorage());
  vi.stubGlobal('localStorage', new MemoryStorage());
  vi.stubGlobal('fetch', answer);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test('a page names the account of its first answer, also after the login has another one as its own', async () => {
  const api = new Api(settings, session);
  await api.call(getMe);
  own = 'acc_b';
  await api.call(leaveAccount);
  await api.call(leaveAccount);
  await api.stream({ path: '/ai/v1/chat/completions' }, {}, new AbortController().signal);
  await api.download('/v1/invoices/inv_1/pdf');
  expect(requests.map(([, account]) => account)).toEqual([undefined, 'acc_a', 'acc_a', 'acc_a', 'acc_a']);
});

test('a write waits until the page knows its account; a read does not', async () => {
  const api = new Api(settings, session);
  await api.call(listApps);
  await api.call(leaveAccount);
  expect(requests).toEqual([
    ['GET /dashboard/v1/apps', undefined],
    ['GET /dashboard/v1/me', undefined],
    ['DELETE /dashboard/v1/membership', 'acc_a'],
  ]);
});

test('a page stays in its account when the tab chooses another for the next one', async () => {
  chooseAccount('acc_c', 'owner');
  const api = new Api(settings, session);
  await api.call(listApps);
  chooseAccount(undefined);
  await api.call(leaveAccount);
  expect(requests.map(([, account]) => account)).toEqual(['acc_c', 'acc_c']);
});
