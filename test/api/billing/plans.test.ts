import { expect, test } from 'vitest';
import { listPlans } from '../../../contract/billing/plans.ts';
import { currentPlans, listPlans as list, PlansInput, setPlans } from '../../../domain/billing/plans.ts';
import { clientOf, codeOf, local, newAccount, platformDeps, raw } from '../../support/harness.ts';
import { inMemory } from '../../support/memory-table.ts';

const { restrictedPublic } = local.accounts.demo;

test('a public key and a secret key of any scope read the plans with exactly the specified fields', async () => {
  const { publicKey, secretKey } = await newAccount({ scopes: ['ai'] });
  for (const client of [clientOf({ publicKey }), clientOf({ secretKey })]) {
    const { data } = (await client.call(listPlans)).body;
    expect(new Set(data.map(({ category }) => category))).toEqual(new Set(['WEB', 'EMAIL', 'APP']));
    expect(data.map(({ slug }) => slug)).toEqual(expect.arrayContaining(['app-1', 'app-10']));
    for (const plan of data)
      expect(Object.keys(plan).sort()).toEqual(
        ['appLimit', 'category', 'featured', 'name', 'priceMonthly', 'priceYearly', 'slug', 'storageGb'].sort(),
      );
  }
});

test.each(['WEB', 'EMAIL', 'APP'] as const)('category %s returns only its plans', async (category) => {
  const account = await newAccount();
  const { data } = (await account.call(listPlans, { query: { category } })).body;
  expect(new Set(data.map((plan) => plan.category))).toEqual(new Set([category]));
});

test.each(['web', '', 'VPS'])('rejects the category "%s" with 400 naming the field', async (category) => {
  const { publicKey } = await newAccount();
  const answer = await raw(`/v1/plans?category=${category}`, { headers: { 'x-public-key': publicKey } });
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { error: { message: 'category: must be one of WEB, EMAIL, APP' } },
  ]);
});

test('no key is 401; a public key is 403 from another origin and works from its own, with CORS and cache headers', async () => {
  expect((await raw('/v1/plans')).status).toBe(401);
  const from = (origin: string) => raw('/v1/plans', { headers: { 'x-public-key': restrictedPublic.key, origin } });
  const refused = await from('https://elsewhere.example');
  expect([refused.status, refused.headers.get('cache-control')]).toEqual([403, 'no-store']);
  const allowed = await from(restrictedPublic.origin);
  expect(allowed.status).toBe(200);
  expect(allowed.headers.get('access-control-allow-origin')).toBeTruthy();
  expect(allowed.headers.get('cache-control')).toBe('public, max-age=15');
  expect(allowed.headers.get('vary')).toContain('X-Public-Key');
  const preflight = await raw('/v1/plans', {
    method: 'OPTIONS',
    headers: { origin: restrictedPublic.origin, 'access-control-request-method': 'GET' },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
    204,
    expect.stringContaining('GET'),
  ]);
});

test('a public key cannot read invoices', async () => {
  const { publicKey } = await newAccount();
  const answer = await raw('/v1/invoices', { headers: { 'x-public-key': publicKey } });
  expect(answer.status).toBe(403);
});

test('lists the plans that operators put on sale, without a deployment', async () => {
  const deps = await platformDeps();
  const mine = inMemory(deps);
  const plan = { slug: 'web-new', name: 'New', category: 'WEB', monthlyCents: 9950, yearlyCents: 99_500 } as const;
  const rest = { storageGb: 7, featured: false, onSale: true };
  const caller = { accountId: '', keyId: '' };
  await setPlans(
    mine,
    PlansInput().parse({
      plans: [
        { ...plan, ...rest },
        { ...plan, ...rest, slug: 'web-old', onSale: false },
      ],
    }),
  );
  const { data } = await list({ plans: currentPlans(mine) }, caller, {});
  const prices = { priceMonthly: '99.50', priceYearly: '995.00' };
  expect(data).toEqual([
    { slug: 'web-new', name: 'New', category: 'WEB', ...prices, storageGb: 7, featured: false, appLimit: null },
  ]);
  await setPlans(mine, {});
  expect((await list({ plans: currentPlans(mine) }, caller, {})).data.length).toBeGreaterThan(5);
  for (const wrong of [
    { plans: [] },
    {
      plans: [
        { ...plan, ...rest },
        { ...plan, ...rest },
      ],
    },
    { plans: [plan] },
  ])
    expect(PlansInput().safeParse(wrong).success).toBe(false);
  expect(codeOf(await clientOf({}).call(listPlans))).toBe('unauthorized');
});
