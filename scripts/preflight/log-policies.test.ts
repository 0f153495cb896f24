import { expect, test } from 'vitest';
import type { Clients } from './clients.ts';
import { checkLogPolicies } from './log-policies.ts';
import type { Plan } from './plan.ts';

const OURS = 'LogGroupNamePrefix IN ["/aws/lambda/hosting-prod-app-"]';
const plan = {
  regions: ['af-south-1', 'us-east-1'],
  stacks: [{ name: 'apps', region: 'af-south-1' }],
  resources: () => [
    {
      stack: 'apps',
      properties: { PolicyName: 'ours', PolicyType: 'METRIC_EXTRACTION_POLICY', SelectionCriteria: OURS },
    },
  ],
} as unknown as Plan;

const others = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    policyName: `other-${at}`,
    selectionCriteria: `LogGroupNamePrefix IN ["/shop-${at}"]`,
  }));
const ours = { policyName: 'ours', selectionCriteria: OURS };

test.each([
  ['none', [], []],
  ['four others', others(4), []],
  ['four others and the one of an earlier deployment', [...others(4), ours], []],
  ['five others', others(5), ['other-0', 'other-1', 'other-2', 'other-3', 'other-4']],
  ['one for all log groups', [{ policyName: 'all' }, ...others(1)], ['all']],
  [
    'one whose prefix begins ours',
    [{ policyName: 'short', selectionCriteria: 'LogGroupNamePrefix IN ["/x", "/aws/lambda/hosting-"]' }],
    ['short'],
  ],
  [
    'one whose prefix ours begins',
    [{ policyName: 'long', selectionCriteria: 'LogGroupNamePrefix IN ["/aws/lambda/hosting-prod-app-shop"]' }],
    ['long'],
  ],
])('an account with %s', async (_, accountPolicies, inTheWay) => {
  const [found, ...more] = checkLogPolicies(plan);
  expect(more).toEqual([]);
  const row = await found?.run({ json: async () => ({ accountPolicies }) } as unknown as Clients);
  expect(row?.ok).toBe(inTheWay.length === 0);
  expect(row?.remedy.map((each) => /--policy-name (\S+) --region af-south-1/.exec(each)?.[1])).toEqual(inTheWay);
});
