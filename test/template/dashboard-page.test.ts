import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dashboardRoutes } from '../../contract/routes.ts';

/** Rows of docs/dashboard.md with an operation and its test. */
const rows = readFileSync('docs/dashboard.md', 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, method, path, file, title] =
      /^\|[^|]*\| `([A-Z]+) (\/[^`]*)` \| `(test\/[^`]+)`: (.*?) ?\|$/.exec(line) ?? [];
    return method && path && file ? [{ operation: `${method} /dashboard/v1${path}`, file, title: title ?? '' }] : [];
  });

test('the page names every operation of the dashboard, and no other', () => {
  const named = new Set(rows.map(({ operation }) => operation));
  expect([...named].sort()).toEqual(dashboardRoutes.map(({ method, path }) => `${method} ${path}`).sort());
});

test('the page has the end-to-end tasks that the tests follow, and no other', () => {
  const walked = [...readFileSync('test/release/ways/ways.ts', 'utf8').matchAll(/^ {4}name: '(.+)',$/gm)];
  const [, table = ''] = readFileSync('docs/dashboard.md', 'utf8').split('| task | desk |');
  const named = [...(table.split('\n\n')[0]?.matchAll(/^\| (\w.+?) \| yes/gm) ?? [])];
  expect(walked.length).toBeGreaterThan(10);
  const titles = walked.map(([, name = '']) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`);
  expect(named.map(([, title]) => title)).toEqual(titles);
});

test.each(rows.map(({ operation, file, title }) => [operation, file, title] as const))(
  '%s is shown by the test that the page names: %s',
  (_operation, file, title) => {
    expect(title.length).toBeGreaterThan(10);
    const lines = readFileSync(file, 'utf8').split('\n');
    const titles = lines.filter((line) => /^\s*(test\b|['"`])/.test(line));
    expect(titles.filter((line) => line.includes(title))).toHaveLength(1);
  },
);
