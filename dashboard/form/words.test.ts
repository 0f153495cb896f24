import { expect, test } from 'vitest';
import { createKey } from '../../contract/accounts/api-keys.ts';
import { createApp } from '../../contract/apps/apps.ts';
import { replaceEnv } from '../../contract/apps/environment.ts';
import type { Route } from '../../contract/route.ts';
import { wordsOf } from './issue-message.ts';

/** What stands beside the first field that is wrong. */
function said(route: Pick<Route, 'body'>, body: unknown): string | undefined {
  const parsed = route.body?.().safeParse(body, { reportInput: true });
  const [issue] = parsed?.error?.issues ?? [];
  return issue && wordsOf(issue);
}

test.each([
  ['a name that is missing', createApp, {}, 'This is needed'],
  ['a name that is too short', createApp, { name: 'a' }, 'At least 2 characters'],
  ['a name that is too long', createApp, { name: 'a'.repeat(61) }, 'At most 60 characters'],
  ['a framework that there is not', createApp, { name: 'ab', framework: 'COBOL' }, /^This must be one of NEXTJS/],
  ['a number where a text belongs', createApp, { name: 7 }, 'This must be a string'],
  ['an address that is none', createApp, { name: 'ab', repoUrl: 'ftp://x' }, /^This must be a Git address/],
  ['a key without scopes', createKey, { name: 'k', scopes: [] }, 'Choose at least one'],
  ['a reserved variable', replaceEnv, { vars: [{ key: 'PORT', value: '1' }] }, 'This is reserved for the platform'],
])('%s is said in words', (_what, route, body, words) => {
  expect(said(route, body)).toMatch(words);
});
