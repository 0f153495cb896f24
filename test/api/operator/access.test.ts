import { expect, test } from 'vitest';
import { getMe } from '../../../contract/accounts/me.ts';
import type { Route } from '../../../contract/route.ts';
import { operatorRoutes } from '../../../contract/routes.ts';
import { clientOf, codeOf, local, newAccount, raw } from '../../support/harness.ts';
import { newOperator } from '../../support/operator.ts';

const guarded = (operatorRoutes as readonly Route[]).filter(({ access }) => access !== 'none');
const pathOf = ({ path }: Route) => path.replaceAll(/\{\w+\}/g, 'acc_00000000000000000000000000');
const send = async (route: Route, headers: Record<string, string>) => {
  const answer = await raw(pathOf(route), { method: route.method, headers, ...(route.body ? { body: '{}' } : {}) });
  const { error } = (await answer.json()) as { error?: { code: string } };
  return `${route.id} ${answer.status} ${error?.code ?? ''}`;
};

test('every operator operation refuses customers’ logins with 403, and keys and anonymous clients with 401', async () => {
  expect(guarded.length).toBeGreaterThanOrEqual(3);
  expect(guarded.map(({ access }) => access)).toEqual(guarded.map(() => 'operator'));
  const customer = await newAccount();
  for (const route of guarded) {
    expect(await send(route, { authorization: `Bearer ${customer.accessToken}` })).toBe(`${route.id} 403 forbidden`);
    expect(await send(route, { authorization: `Bearer ${customer.secretKey}` })).toBe(`${route.id} 401 unauthorized`);
    expect(await send(route, {})).toBe(`${route.id} 401 unauthorized`);
  }
});

test('the operator of local.json has the role, and its account is one like any other', async () => {
  const { id, email, dashboardToken, secretKey } = local.accounts.operator;
  const { body } = await clientOf({ accessToken: () => dashboardToken }).call(getMe);
  expect(body.data).toMatchObject({ account: { id, email: 'operator@example.com' }, roles: ['owner', 'operator'] });
  expect(email).toBe('operator@example.com');
  const asKey = await raw('/operator/v1/audit', { headers: { authorization: `Bearer ${secretKey}` } });
  expect(asKey.status).toBe(401);
  const operator = await newOperator();
  expect(codeOf(await operator.call(getMe))).toBeUndefined();
});
