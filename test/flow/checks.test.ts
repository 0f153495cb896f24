import { expect, test } from 'vitest';
import * as z from 'zod';
import { samplesOf } from '../support/alarm-states.ts';
import { invokeFunction, readLogs } from '../support/functions.ts';
import { local, waitFor } from '../support/harness.ts';

const Results = z.array(z.object({ check: z.string(), outcome: z.string(), problem: z.string().optional() }));
const run = async () => Results.parse(await invokeFunction(local, 'schedule-runChecks'));

test('the synthetic checks use every product, and what they begin is judged by a later run', async () => {
  const beganAt = Date.now();
  const passed = new Set<string>();
  await waitFor(async () => {
    const results = await run();
    expect(results.filter(({ outcome }) => outcome === 'FAILED')).toEqual([]);
    for (const { check } of results) passed.add(check);
    return passed.size === 7;
  }, 1000);
  expect([...passed].sort()).toEqual(['ai', 'api', 'deployment', 'dns', 'hosted-page', 'login', 'webhook']);

  // Those before are of a failed attempt.
  const samples = readLogs(local)
    .flatMap(({ text }) => samplesOf(text))
    .filter(({ at }) => at >= beganAt);
  const measured = samples.filter(({ metric }) => metric === 'CheckSuccess');
  expect(new Set(measured.map(({ dimensions }) => dimensions.check))).toEqual(passed);
  expect(new Set(measured.map(({ value }) => value))).toEqual(new Set([1]));
  expect(samples.some(({ metric, value }) => metric === 'ChecksDone' && value === 1)).toBe(true);
  expect(samples.some(({ metric }) => metric === 'DeploymentSuccess')).toBe(true);
  expect(
    samples.some(({ metric, dimensions }) => metric === 'WebhookLag' && Object.keys(dimensions).length === 1),
  ).toBe(true);
}, 180_000);
