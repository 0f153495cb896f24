import * as z from 'zod/mini';
import { PLAN_CATEGORIES } from '../enums.ts';
import { describe, Money, resource } from '../envelope.ts';
import { route } from '../route.ts';

/** Specification, Resources: Plan. Prices exclude VAT. */
export const Plan = resource('Plan', () =>
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

/** The plan of an account that has bought no application plan, or has one no longer. */
export const DEFAULT_PLAN = { slug: 'app-1', name: 'App 1', appLimit: 1 };

/** Returns true for a plan that allows no more than every account has without one: the dashboard does not offer it. */
export const isIncluded = ({ category, appLimit }: { category: string; appLimit: number | null }): boolean =>
  category === 'APP' && (appLimit ?? 0) <= DEFAULT_PLAN.appLimit;

/** Number of days for which applications beyond the limit keep running after a plan ended or shrank. */
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
  response: () => z.object({ data: z.array(Plan()) }),
});
