import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Lists without the common search, order and filter, and the reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  'accounts/AccountData.tsx': 'a week has a few exports at most',
  'accounts/AuditLog.tsx': 'filtered by the API, by change and actor: a year of changes is not read whole',
  'ui/LimitTable.tsx': 'a fixed set',
  'ai/ProviderKeys.tsx': 'a fixed set',
  'ai/SpendChart.tsx': 'the bars of a chart',
  'apps/Variables.tsx': 'the rows of a form',
  'deployments/BuildProgress.tsx': 'the steps of a build, in their order',
  'overview/AttentionList.tsx': 'a digest, most urgent first',
  'overview/FirstSteps.tsx': 'a fixed set',
  'overview/Overview.tsx': 'a digest of the applications, with a link to all',
  'overview/RecentChanges.tsx': 'a digest of the audit log',
  'registrar/DomainSearch.tsx': 'the results of a search',
  'ui/DataTable.tsx': 'the table itself',
  'ui/Meter.tsx': 'one meter',
  'ui/chart/TimeChart.tsx': 'the values of a chart',
  'operator/AccountLists.tsx': 'a digest of one account',
  'operator/FailureList.tsx': 'a fixed set of queues, and the first of their items',
  'operator/FindAccount.tsx': 'the results of a search',
  'operator/Flags.tsx': 'a fixed set',
  'operator/Migrations.tsx': 'a fixed set',
  'operator/OperatorLog.tsx': 'filtered by the API, by account',
  'operator/Switches.tsx': 'a fixed set',
};

/** A component that renders one row of a list, which another file filters. */
const isRow = (file: string) => /Rows?\.tsx$/.test(file);

test('every list of the dashboard is searched, filtered and sorted by one mechanism', () => {
  const lists = globSync('**/*.tsx', { cwd: 'dashboard' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !isRow(file))
    .map((file) => ({ file, text: readFileSync(`dashboard/${file}`, 'utf8') }))
    .filter(({ text }) => /<DataTable\b|<\w*Rows?\b|className="row"/.test(text));
  expect(lists.length).toBeGreaterThan(20);
  const without = lists.filter(({ text }) => !/<Filtered(List|Items)\b/.test(text)).map(({ file }) => file);
  expect(without.toSorted()).toEqual(Object.keys(EXEMPT).toSorted());
});

test('dates and numbers are formatted by formats that are made once', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: 'dashboard' }).filter((file) => !file.endsWith('.test.ts'));
  const slow = files.filter((file) =>
    /\.toLocale(?:Date|Time)?String\(/.test(readFileSync(`dashboard/${file}`, 'utf8')),
  );
  // Each call makes a format: it was a third of the time of a list's rows.
  expect(slow).toEqual([]);
});
