import { expect, test } from 'vitest';
import { failureOf, highlight, stepsOf } from './build-steps.ts';

const line = (second: number, text: string) => ({ at: `2026-01-01T10:00:0${second}.000Z`, text });
const LOG = [
  line(0, '==> Cloning https://git.localhost/app.git'),
  line(1, 'abc1234 First'),
  line(2, '==> Installing'),
  line(4, 'added 3 packages'),
  line(5, '==> Building'),
];

test('each section of the log is a step that ends where the next one begins', () => {
  expect(stepsOf(LOG, true)).toEqual([
    {
      title: 'Cloning https://git.localhost/app.git',
      state: 'DONE',
      startedAt: LOG[0]?.at,
      finishedAt: LOG[2]?.at,
    },
    { title: 'Installing', state: 'DONE', startedAt: LOG[2]?.at, finishedAt: LOG[4]?.at },
    { title: 'Building', state: 'RUNNING', startedAt: LOG[4]?.at, finishedAt: null },
  ]);
  expect(stepsOf([], true)).toEqual([]);
});

test('the last step of a failed build has failed, and that of a finished one has not', () => {
  const failed = [...LOG, line(7, '==> Deployment failed: The build command "x" failed with exit code 1.')];
  expect(stepsOf(failed, false).map(({ state }) => state)).toEqual(['DONE', 'DONE', 'FAILED']);
  expect(stepsOf(failed, false)[2]?.finishedAt).toBe(failed.at(-1)?.at);
  expect(failureOf(failed)).toBe('The build command "x" failed with exit code 1.');
  const live = [...LOG, line(8, '==> The new release is live')];
  expect(stepsOf(live, false).map(({ state }) => state)).toEqual(['DONE', 'DONE', 'DONE']);
  expect(failureOf(live)).toBeUndefined();
});

test('errors are highlighted, headings are bold, and colored lines stay as they are', () => {
  const isRed = (text: string) => highlight(text).includes('\u001b[1;31m');
  const errors = ['npm error code E404', 'TypeError: x is undefined', "src/a.ts(1,2): error TS2322: Type 'a'"];
  expect([...errors, '==> Deployment failed: x'].filter((text) => !isRed(text))).toEqual([]);
  expect(['added 3 packages', 'errors: 0', 'no error'].filter(isRed)).toEqual([]);
  expect(highlight('==> Building')).toBe('\u001b[1m==> Building\u001b[0m');
  expect(isRed(`${' '.repeat(500_000)}!`)).toBe(false);
  expect(highlight('\u001b[32mError: green\u001b[0m')).toBe('\u001b[32mError: green\u001b[0m');
});
