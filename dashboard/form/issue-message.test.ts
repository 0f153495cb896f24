import { expect, test } from 'vitest';
import { createKey } from '../../contract/accounts/api-keys.ts';
import { createApp } from '../../contract/apps/apps.ts';
import { replaceEnv } from '../../contract/apps/environment.ts';
import { orderDomain } from '../../contract/registrar/orders.ts';
import type { Route } from '../../contract/route.ts';
import { resendSkipped } from '../../contract/webhooks/management.ts';
import { issueMessage } from './issue-message.ts';

/** Returns the message of the first invalid field. */
function messageFor(route: Pick<Route, 'body'>, body: unknown): string | undefined {
  const parsed = route.body?.().safeParse(body, { reportInput: true });
  const [issue] = parsed?.error?.issues ?? [];
  return issue && issueMessage(issue);
}

test.each([
  ['a missing name', createApp, {}, 'Required'],
  ['a short name', createApp, { name: 'a' }, 'At least 2 characters'],
  ['a long name', createApp, { name: 'a'.repeat(61) }, 'At most 60 characters'],
  ['an unknown framework', createApp, { name: 'ab', framework: 'COBOL' }, /^This must be one of NEXTJS/],
  ['a number instead of a text', createApp, { name: 7 }, 'This must be a string'],
  ['a broken number', orderDomain, { domain: 'a.com', years: 1.5 }, 'This must be a whole number'],
  ['a time that is not complete', resendSkipped, { since: '' }, 'Required'],
  ['a time of another format', resendSkipped, { since: 'soon' }, /^This must be a time/],
  ['an invalid Git URL', createApp, { name: 'ab', repoUrl: 'ftp://x' }, /^This must be a Git address/],
  ['a key without scopes', createKey, { name: 'k', scopes: [] }, 'Choose at least one'],
  ['a reserved variable', replaceEnv, { vars: [{ key: 'PORT', value: '1' }] }, 'This is reserved for the platform'],
])('describes %s', (_what, route, body, words) => {
  expect(messageFor(route, body)).toMatch(words);
});
