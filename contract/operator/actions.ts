import * as z from 'zod/mini';
import { BILLING_CYCLES, INVOICE_KINDS } from '../enums.ts';
import { Email, Id, line, single } from '../envelope.ts';
import { HostName } from '../host-names/host-names.ts';
import { LimitOverridesSchema } from '../limits/limits.ts';
import { route, SCOPES } from '../route.ts';
import { OPERATOR_TAG } from './accounts.ts';

/** Operations with which operators change an account. Each requires a reason, which the audit log records. */

const access = 'operator';
const tag = OPERATOR_TAG;
/** A text that is not blank. */
export const text = (maxLength: number) => z.string().check(z.trim(), z.minLength(1), z.maxLength(maxLength));

/** The reason for an operator's action. */
export const Reason = () => ({
  reason: text(300).register(z.globalRegistry, {
    description: 'Recorded in the audit log. The reason for a suspension is shown to the customer.',
  }),
});
export const Identifier = () => z.string().check(z.minLength(1), z.maxLength(64));

export const AT_MOST_ONE_TARGET = 'applicationId, keyId, endpointId: give at most one of them';

export const setSuspension = /* @__PURE__ */ route({
  id: 'setSuspension',
  method: 'PUT',
  path: '/operator/v1/accounts/{id}/suspension',
  access,
  audit: 'account.suspended',
  summary: 'Suspend an account, or one of its applications, keys or endpoints, or lift the suspension',
  tag,
  params: Id,
  body: () =>
    z
      .object({
        ...Reason(),
        suspended: z.boolean(),
        applicationId: z.optional(Identifier()),
        keyId: z.optional(Identifier()),
        endpointId: z.optional(Identifier()),
      })
      .check(
        z.refine(
          ({ applicationId, keyId, endpointId }) => [applicationId, keyId, endpointId].filter(Boolean).length <= 1,
          AT_MOST_ONE_TARGET,
        ),
      ),
  response: () => single(z.object({ suspended: z.boolean() })),
});

export const cancelDeployment = /* @__PURE__ */ route({
  id: 'cancelDeployment',
  method: 'POST',
  path: '/operator/v1/accounts/{id}/deployments/{deploymentId}/cancel',
  access,
  audit: 'deployment.cancelled',
  summary: 'Cancel a deployment: stops its execution and its build, and fails it with the reason',
  tag,
  params: () => z.extend(Id(), { deploymentId: Identifier() }),
  body: () => z.object(Reason()),
  status: 202,
  response: () => single(z.object({ id: z.string() })),
});

export const changeLimits = /* @__PURE__ */ route({
  id: 'changeLimits',
  method: 'PATCH',
  path: '/operator/v1/accounts/{id}/limits',
  access,
  audit: 'account.limits-changed',
  summary: 'Set limits of an account; null restores the default of the plan',
  tag,
  params: Id,
  body: () => z.object({ ...Reason(), limits: LimitOverridesSchema() }),
  response: () => single(z.object({ limitOverrides: z.record(z.string(), z.int()) })),
});

/** The number of keys with which an account is opened at most: all are written in one transaction, three items each. */
const MAX_FIRST_KEYS = 20;

/** An amount in rand with two decimals, which may be negative. */
const SignedAmount = () =>
  z
    .string('must be a string such as "-12.50"')
    .check(z.regex(/^-?\d{1,7}\.\d{2}$/, 'must be rand with two decimals, such as -12.50'))
    .register(z.globalRegistry, { examples: ['-12.50'] });

export const adjustMoney = /* @__PURE__ */ route({
  id: 'adjustMoney',
  method: 'POST',
  path: '/operator/v1/accounts/{id}/adjustments',
  access,
  audit: 'wallet.adjusted',
  summary: 'Make one adjustment: of the wallet or the AI credits, a new or void invoice, or a granted plan',
  tag,
  params: Id,
  body: () =>
    z.object({
      ...Reason(),
      wallet: z.optional(z.object({ amount: SignedAmount(), description: line(200) })),
      credits: z.optional(z.object({ amount: SignedAmount() })),
      invoice: z.optional(z.object({ kind: z.enum(INVOICE_KINDS), description: line(200), amount: SignedAmount() })),
      voidInvoice: z.optional(z.object({ id: Identifier() })),
      grant: z.optional(
        z.object({
          plan: Identifier(),
          billingCycle: z.enum(BILLING_CYCLES),
          hostingDomain: z.optional(HostName()),
        }),
      ),
    }),
  response: () => single(z.object({ invoiceId: z.optional(z.string()), subscriptionId: z.optional(z.string()) })),
});

export const resendForCustomer = /* @__PURE__ */ route({
  id: 'resendForCustomer',
  method: 'POST',
  path: '/operator/v1/accounts/{id}/deliveries/{deliveryId}/resend',
  access,
  audit: 'delivery.resent',
  summary: 'Resend a webhook delivery of an account',
  tag,
  params: () => z.extend(Id(), { deliveryId: Identifier() }),
  body: () => z.object(Reason()),
  response: () => single(z.object({ id: z.string(), status: z.string() })),
});

export const openCustomerAccount = /* @__PURE__ */ route({
  id: 'openCustomerAccount',
  method: 'POST',
  path: '/operator/v1/accounts',
  access,
  audit: 'account.opened',
  summary: 'Open an account with its first keys; only this response contains their secrets',
  tag,
  body: () =>
    z.object({
      ...Reason(),
      email: Email(),
      name: line(100),
      plan: z.object({ slug: Identifier(), name: line(100), appLimit: z.int().check(z.minimum(0)) }),
      keys: z._default(
        z
          .array(
            z.object({
              name: line(60),
              scopes: z.array(z.enum(SCOPES)).check(z.minLength(1), z.maxLength(SCOPES.length)),
            }),
          )
          .check(z.maxLength(MAX_FIRST_KEYS)),
        [],
      ),
    }),
  status: 201,
  response: () =>
    single(
      z.object({
        id: z.string(),
        keys: z.array(z.object({ name: z.string(), id: z.string(), secretKey: z.string(), publicKey: z.string() })),
      }),
    ),
});
