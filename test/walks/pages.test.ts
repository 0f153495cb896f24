import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { runbookSections } from '../support/runbook.ts';
import { read, synthesize } from '../template/synthesized.ts';
import { WALKS } from './all.ts';
import { ELSEWHERE } from './elsewhere.ts';

/** Every page of the runbook is walked, and every alarm goes off in a walk of its page. */

const { template } = synthesize({ stage: 'prod' });
const TYPES = ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'];
const Alarm = z.object({ AlarmName: z.string(), AlarmDescription: z.string() });
const anchorOf = (title: string) => title.toLowerCase().replaceAll(' ', '-');

test('every page of the runbook has a walk, or tests elsewhere that show its fault and its end', () => {
  const walked = new Set([...WALKS, ...ELSEWHERE].map(({ page }) => page));
  expect([...runbookSections().keys()].filter((title) => !walked.has(title))).toEqual([]);
  expect([...walked].filter((page) => !runbookSections().has(page))).toEqual([]);
});

test('every alarm goes off and ends in a walk of its page, or in the tests that are named for it', () => {
  const alarms = TYPES.flatMap((type) => read(template, type, Alarm))
    .filter(({ AlarmDescription }) => !AlarmDescription.startsWith('[condition of'))
    // An alarm on too many metrics is several, with a number behind the name.
    .map((alarm) => ({ ...alarm, AlarmName: alarm.AlarmName.replace(/-\d$/, '') }));
  const shown = [...WALKS, ...ELSEWHERE].flatMap(({ page, alarms: names = [] }) =>
    names.map((name) => `hosting-prod-${name}`).map((name) => ({ name, anchor: anchorOf(page) })),
  );
  const missing = alarms.filter(({ AlarmName }) => !shown.some(({ name }) => name === AlarmName));
  expect(missing.map(({ AlarmName }) => AlarmName)).toEqual([]);
  expect(shown.filter(({ name }) => !alarms.some(({ AlarmName }) => AlarmName === name))).toEqual([]);
  // An alarm may go off in the walks of other pages too.
  const elsewhere = alarms.filter(
    ({ AlarmName, AlarmDescription }) =>
      !shown.some(({ name, anchor }) => name === AlarmName && AlarmDescription.endsWith(`#${anchor}`)),
  );
  expect(elsewhere.map(({ AlarmName, AlarmDescription }) => `${AlarmName} ${AlarmDescription}`)).toEqual([]);
});

test('the tests that stand for a walk exist', () => {
  for (const { page, tests, notWalked } of ELSEWHERE) {
    expect(tests.length, page).toBeGreaterThan(0);
    expect(notWalked.length, page).toBeGreaterThan(10);
    for (const [file, title] of tests) expect(readFileSync(file, 'utf8'), `${page}: ${file}`).toContain(`'${title}'`);
  }
});
