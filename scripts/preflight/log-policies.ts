import * as z from 'zod';
import { type Check, check } from './check.ts';
import type { Plan } from './plan.ts';

/** Policies of this type that an account may have in a region, of all its installations (lib/constructs/logs.ts). */
const MAX_POLICIES = 5;
const TYPE = 'METRIC_EXTRACTION_POLICY';

const Planned = z.object({ PolicyName: z.string(), PolicyType: z.literal(TYPE), SelectionCriteria: z.string() });
const Described = z.object({
  accountPolicies: z.array(z.object({ policyName: z.string(), selectionCriteria: z.string().optional() })).default([]),
});
type Found = z.output<typeof Described>['accountPolicies'][number];

/** Returns the prefixes of log groups that a policy is for; none for one that is for all of them. */
const prefixesOf = (criteria = ''): string[] => [...criteria.matchAll(/"([^"]*)"/g)].map(([, prefix = '']) => prefix);

/** True where CloudWatch Logs refuses a policy beside another one: both would be for the same log group. */
function overlaps({ selectionCriteria }: Found, prefixes: readonly string[]): boolean {
  const others = prefixesOf(selectionCriteria);
  return (
    others.length === 0 || others.some((one) => prefixes.some((own) => one.startsWith(own) || own.startsWith(one)))
  );
}

function checkPolicies(region: string, planned: readonly z.output<typeof Planned>[]): Check {
  const names = new Set(planned.map(({ PolicyName }) => PolicyName));
  const prefixes = planned.flatMap(({ SelectionCriteria }) => prefixesOf(SelectionCriteria));
  const remove = ({ policyName }: Found) =>
    `If nothing needs it: aws logs delete-account-policy --policy-type ${TYPE} --policy-name ${policyName} --region ${region}`;
  return check({
    what: `Metric extraction policies of CloudWatch Logs in ${region}`,
    needed: `room for ${planned.length} of ${MAX_POLICIES}, and no other for the same log groups`,
    region,
    find: async ({ json }) =>
      Described.parse(await json('logs', region, 'DescribeAccountPolicies', { policyType: TYPE })).accountPolicies,
    assess: (found) => {
      // Those of an earlier deployment are replaced.
      const others = found.filter(({ policyName }) => !names.has(policyName));
      const inTheWay = others.filter((each) => overlaps(each, prefixes));
      const isFull = others.length + planned.length > MAX_POLICIES;
      return {
        ok: inTheWay.length === 0 && !isFull,
        found: [
          `${others.length} others`,
          ...inTheWay.map(
            ({ policyName, selectionCriteria = 'all log groups' }) => `${policyName} is for ${selectionCriteria}`,
          ),
        ].join('; '),
        remedy: (inTheWay.length > 0 ? inTheWay : others).map(remove),
      };
    },
    remedy: [],
  });
}

/** Checks that CloudWatch Logs takes the policies of the templates: an account has few of them in a region, over all installations. */
export function checkLogPolicies({ regions, stacks, resources }: Plan): Check[] {
  const all = resources('AWS::Logs::AccountPolicy');
  return regions.flatMap((region) => {
    const here = new Set(stacks.filter((stack) => stack.region === region).map(({ name }) => name));
    const planned = all.filter(({ stack }) => here.has(stack)).map(({ properties }) => Planned.parse(properties));
    return planned.length > 0 ? [checkPolicies(region, planned)] : [];
  });
}
