import { expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { dashboardRoutes, operatorRoutes, routes } from '../routes.ts';
import { AUDIT_ACTIONS } from './actions.ts';

/** Fields of requests that entries do not have under their own name, and why not. */
const NOT_SHOWN: Readonly<Record<string, readonly string[]>> = {
  // Shown as the domain of the application; the deployment has an entry of its own.
  createApp: ['customDomain', 'deployNow'],
  // Values of variables are secret, and names are shown as `set` and `removed`.
  replaceEnv: ['vars'],
  updateEnv: ['remove'],
  // The owner's address, and what the domain itself shows.
  orderDomain: ['registrant', 'nameservers'],
  adoptCustomerDomain: ['registrant', 'records'],
  acceptInvitation: ['token'],
  rollBack: ['deploymentId'],
  resendSkipped: ['statuses'],
  putProviderKey: ['key'],
  requestDeletion: ['confirm'],
  // Another action and another subject for each.
  setSuspension: ['suspended', 'applicationId', 'keyId', 'endpointId'],
  adjustMoney: ['wallet', 'credits', 'invoice', 'voidInvoice', 'grant'],
  openCustomerAccount: ['keys'],
  saveHostingServer: ['token'],
  // Shown as the accounts of the flag.
  setFlag: ['accountId', 'on'],
};

test('an entry of the audit log shows every field that its request can set, except the ones listed here', () => {
  const notShown = [...routes, ...dashboardRoutes, ...operatorRoutes].flatMap(({ id, audit, body }) => {
    if (audit === undefined || body === undefined) return [];
    const { shape } = (body() as unknown as z.ZodMiniObject)._zod.def;
    const shown: readonly string[] = ['reason', ...AUDIT_ACTIONS[audit].shows];
    const fields = Object.keys(shape).filter((field) => !shown.includes(field));
    return fields.length > 0 ? [[id, fields] as const] : [];
  });
  expect(Object.fromEntries(notShown)).toEqual(NOT_SHOWN);
});
