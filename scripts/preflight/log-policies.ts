import * as z from 'zod';
import { type Check, check } from './check.ts';
import type { Plan } from './plan.ts';

/** Maximum number of policies of this type per account and region, over all installations (lib/constructs/logs.ts). */
const MAX_POLICIES = 5;
const TYPE = 'METRIC_EXTRACTION_POLICY';

const Planned = z.object({ PolicyName: z.string(), PolicyType: z.literal(TYPE), SelectionCriteria: z.string() });
const Described = z.object({
  accountPolicies: z.array(z.object({ policyName: z.string(), selectionCriteria: z.string().optional() })).default([]),
});
type Found = z.output<typeof Described>['accountPolicies'][number];

/** Returns the prefixes of the log groups to which a policy applies; none if it applies to all. */
const prefixesOf = (criteria = ''): string[] => [...criteria.matchAll(/"([^"]*)"/g)].map(([, prefix = '']) => prefix);

/** Returns true if a policy could apply to the same log group as one of the prefixes. CloudWatch Logs refuses such policies. */
function overlaps({ selectionCriteria }: Found, prefixes: readonly string[]): boolean {
  const others = prefixesOf(selectionCriteria);
  return (
    others.length === 0 ||
    others.some((other) => prefixes.some((prefix) => other.startsWith(prefix) || prefix.startsWith(other)))
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
      // A deployment replaces the policies of an earlier one.
      const others = found.filter(({ policyName }) => !names.has(policyName));
      const overlapping = others.filter((policy) => overlaps(policy, prefixes));
      const isFull = others.length + planned.length > MAX_POLICIES;
      return {
        ok: overlapping.length === 0 && !isFull,
        found: [
          `${others.length} others`,
          ...overlapping.map(
            ({ policyName, selectionCriteria = 'all log groups' }) => `${policyName} is for ${selectionCriteria}`,
          ),
        ].join('; '),
        remedy: (overlapping.length > 0 ? overlapping : others).map(remove),
      };
    },
    remedy: [],
  });
}

/** Checks that CloudWatch Logs accepts the templates' policies, of which an account can have only a few per region. */
export function checkLogPolicies({ regions, stacks, resources }: Plan): Check[] {
  const all = resources('AWS::Logs::AccountPolicy');
  return regions.flatMap((region) => {
    const here = new Set(stacks.filter((stack) => stack.region === region).map(({ name }) => name));
    const planned = all.filter(({ stack }) => here.has(stack)).map(({ properties }) => Planned.parse(properties));
    return planned.length > 0 ? [checkPolicies(region, planned)] : [];
  });
}
