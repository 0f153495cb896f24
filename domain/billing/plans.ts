import * as z from 'zod/mini';
import type { listPlans as ListRoute } from '../../contract/billing/plans.ts';
import { PLAN_CATEGORIES } from '../../contract/enums.ts';
import type { Input, Output } from '../../contract/route.ts';
import { PlanOffer } from '../../table/entities/billing.ts';
import type { Caller, Deps } from '../deps.ts';
import { changeOffer, type OfferRule, offerReader } from '../offers.ts';
import { formatRand } from './money.ts';

const cents = () => z.int().check(z.positive(), z.maximum(100_000_000));

/** A plan with all its fields. Prices are in cents without VAT. */
const OfferedPlan = () =>
  z.object({
    slug: z.string().check(z.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/), z.maxLength(60)),
    name: z.string().check(z.minLength(1), z.maxLength(60)),
    category: z.enum(PLAN_CATEGORIES),
    monthlyCents: cents(),
    yearlyCents: cents(),
    storageGb: z.int().check(z.positive()),
    featured: z.boolean(),
    /** True while the plan can be bought. Existing subscriptions of other plans still renew. */
    onSale: z.boolean(),
    /** Number of applications that an APP plan allows. */
    appLimit: z._default(z.int().check(z.minimum(0)), 0),
  });
export type Plan = z.output<ReturnType<typeof OfferedPlan>>;

const areDistinct = (plans: Plan[]) => new Set(plans.map(({ slug }) => slug)).size === plans.length;

/** Input of an operator: the whole list ({@link changeOffer}). */
export const PlansInput = () =>
  z.object({
    plans: z.optional(
      z.nullable(z.array(OfferedPlan()).check(z.minLength(1), z.refine(areDistinct, 'two plans have the same slug'))),
    ),
  });

type Sold = [slug: string, name: string, monthlyCents: number, storageGb: number, options?: Partial<Plan>];

/** A year costs ten months. */
const plan =
  (category: Plan['category']) =>
  ([slug, name, monthlyCents, storageGb, options]: Sold): Plan => ({
    slug,
    name,
    category,
    monthlyCents,
    yearlyCents: monthlyCents * 10,
    storageGb,
    featured: false,
    onSale: true,
    appLimit: 0,
    ...options,
  });

const WEB: Sold[] = [
  ['web-starter', 'Web Starter', 4900, 10],
  ['web-business', 'Web Business', 12_900, 50, { featured: true }],
  ['web-pro', 'Web Pro', 24_900, 150],
];
const EMAIL: Sold[] = [
  ['email-basic', 'Email Basic', 2900, 10],
  ['email-business', 'Email Business', 7900, 50, { featured: true }],
];
const APP: Sold[] = [
  ['app-1', 'App 1', 7900, 5, { appLimit: 1 }],
  ['app-3', 'App 3', 19_900, 15, { appLimit: 3 }],
  ['app-10', 'App 10', 49_900, 50, { appLimit: 10, featured: true }],
  ['app-25', 'App 25', 99_900, 150, { appLimit: 25 }],
];

/** The built-in plans, which apply until an operator changes them. */
const BUILT_IN: readonly Plan[] = [...WEB.map(plan('WEB')), ...EMAIL.map(plan('EMAIL')), ...APP.map(plan('APP'))];

export type ReadPlans = () => Promise<readonly Plan[]>;

const OFFER: OfferRule<{ plans: Plan[] }> = {
  entity: PlanOffer,
  action: 'plans.set',
  schema: PlansInput,
  parts: ['plans'],
};

/** Returns a reader of the current plans, including plans that are not on sale: the operators' list, or the built-in one. */
export const currentPlans = (deps: Pick<Deps, 'table' | 'now'>): ReadPlans =>
  offerReader(deps, OFFER, ({ plans }): readonly Plan[] => plans ?? BUILT_IN);

/** For operators: replaces the list of plans. */
export const setPlans = (deps: Deps, given: z.output<ReturnType<typeof PlansInput>>) => changeOffer(deps, OFFER, given);

/** Returns the price of one period, in cents without VAT. */
export const periodPrice = (plan: Plan, cycle: 'MONTHLY' | 'YEARLY'): number =>
  cycle === 'MONTHLY' ? plan.monthlyCents : plan.yearlyCents;

/** GET /v1/plans */
export async function listPlans(
  deps: { plans: ReadPlans },
  _caller: Caller,
  { category }: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  const plans = await deps.plans();
  const data = plans
    .filter((plan) => plan.onSale && (category === undefined || plan.category === category))
    .map(({ slug, name, category: planCategory, monthlyCents, yearlyCents, storageGb, featured, appLimit }) => ({
      slug,
      name,
      category: planCategory,
      priceMonthly: formatRand(monthlyCents),
      priceYearly: formatRand(yearlyCents),
      storageGb,
      featured,
      appLimit: planCategory === 'APP' ? appLimit : null,
    }));
  return { data, has_more: false };
}
