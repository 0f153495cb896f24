import * as z from 'zod/mini';
import { PLAN_CATEGORIES } from '../enums.ts';
import { describe, Money, resource, wholeList } from '../envelope.ts';
import { route } from '../route.ts';

/** A plan (specification, Resources: Plan). Prices exclude VAT. */
const Plan = resource('Plan', () =>
  z.object({
    slug: z.string(),
    name: z.string(),
    category: z.enum(PLAN_CATEGORIES),
    priceMonthly: Money(),
    priceYearly: Money(),
    storageGb: z.int(),
    featured: z.boolean(),
    appLimit: describe(
      z.nullable(z.int()),
      'Addition: the number of applications that an application plan allows; null for other plans',
    ),
  }),
);

/** The plan of an account without a bought application plan. */
export const DEFAULT_PLAN = { slug: 'app-1', name: 'App 1', appLimit: 1 };

/** Returns true for an application plan that allows no more than the default plan. The dashboard does not offer it. */
export const isIncluded = ({ category, appLimit }: { category: string; appLimit: number | null }): boolean =>
  category === 'APP' && (appLimit ?? 0) <= DEFAULT_PLAN.appLimit;

/** The grace period in days: applications beyond the limit keep running after a plan ends or is replaced by a smaller one. */
export const PLAN_GRACE_DAYS = 7;

export const listPlans = /* @__PURE__ */ route({
  id: 'listPlans',
  method: 'GET',
  path: '/v1/plans',
  access: 'catalogue',
  right: 'member',
  summary: 'List the plans on sale',
  tag: 'Catalogue',
  query: () => z.object({ category: z.optional(z.enum(PLAN_CATEGORIES)) }),
  response: () => wholeList(Plan()),
});
