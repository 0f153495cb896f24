import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * Words that a customer would not search for, by those that the field uses (docs/glossary.md). Comments are no screens; terms that
 * are retired everywhere have their own check (scripts/lint-language.ts).
 */
const REPLACED: Readonly<Record<string, string>> = {
  'domain of its own': 'Custom domain',
  'branch that is deployed': 'Production branch',
  'address will begin': 'URL',
  'as soon as it is created': 'Deploy after creation',
  'number of applications is reached': "You've reached your plan's app limit",
  'Over the API|By a push|From the dashboard': 'API, Git push, Dashboard',
  'Deploy again|Roll back to this': 'Redeploy, Roll back',
  'takes the place of|goes on serving': 'Restores, is still live',
  'application printed': 'Runtime logs',
  'No line has|To the end': 'No matching lines, Jump to latest',
  'Take over|Its text': 'Import, .env contents',
  'Proves that|Sends its visitors|To be proven|Visitors are let in': 'Verify ownership, Point your domain, Verify by',
  'ignored at the moment': 'Auto-deploy is off',
  'Have one made|Have a database': 'Create a database',
  'to go on': 'to confirm',
  'is built this way': 'Applies to the next deployment',
  'Send skipped|Send again|sent again|>\\s*Resend|"Resend': 'Replay',
  'Send a ping': 'Send test event',
  'failed in a row|in a row': 'consecutive failures',
  'Nothing was sent|None chosen': 'No deliveries yet, All events',
  'What it may do|What will use it': 'Scopes, Name',
  'Keep the secret': "You won't be able to see it again",
  'To pay|Nothing has moved': 'Amount due, No transactions yet',
  'When it falls|By \\(rand\\)': 'When balance falls below, Top-up amount',
  'without VAT| a month': 'excl. VAT, /month',
  'usable until|does not cover': 'Ends on, Insufficient wallet balance',
  'Find a name|Owner.s name|none: ours': 'Search for a domain, Registrant name',
  'running calls|newest .* entries|latest .* entries': 'Reserved for calls in progress, Last 30 days',
  'Say something|Start over|breaks off': 'Message…, New chat, interrupted',
  'This is needed|There is no such|no such': 'Required, not found',
  'Load it again|had typed': 'Retrying automatically…, Reload, Draft restored',
};

const comments = /\/\*[\s\S]*?\*\/|(?<=^|[\s{;])\/\/.*$/gm;
const sources = globSync('dashboard/**/*.{ts,tsx}')
  .filter((path) => !/\.test\.ts$|node_modules/.test(path))
  .map((path) => ({ path, text: readFileSync(path, 'utf8').replace(comments, '') }));

test.each(Object.entries(REPLACED))('no screen says “%s”: %s', (words) => {
  const pattern = new RegExp(words, 'i');
  const found = sources.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line) => (pattern.test(line) ? [`${path}: ${line.trim()}`] : [])),
  );
  expect(sources.length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});
