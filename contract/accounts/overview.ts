import * as z from 'zod/mini';
import { AuditEntry } from '../audit/entry.ts';
import { describe, Money, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';

/** Days ahead in which an expiry is shown. */
export const EXPIRES_SOON_DAYS = 30;
/** Changes that the overview shows. */
export const RECENT_CHANGES = 8;

/** The time for which money lasts; null where nothing is being spent. */
const Lasts = () =>
  describe(
    z.nullable(z.object({ perDay: Money(), days: z.int() })),
    'At the present rate of spending; null while nothing is spent',
  );

export const getOverview = /* @__PURE__ */ route({
  id: 'getOverview',
  method: 'GET',
  path: '/dashboard/v1/overview',
  access: 'login',
  right: 'member',
  summary: 'Read what needs you, how long your money lasts, and what changed last',
  tag: 'Account',
  response: () =>
    single(
      z.object({
        unpaidInvoices: z.object({ count: z.int(), total: Money() }),
        wallet: z.object({ balance: Money(), lasts: Lasts() }),
        aiCredits: z.object({ available: Money(), lasts: Lasts() }),
        webhooks: z.object({
          endpoints: z.int(),
          failing: describe(
            z.array(z.object({ id: z.string(), url: z.string(), active: z.boolean(), failureCount: z.int() })),
            'Endpoints that are disabled, or whose last attempts failed',
          ),
        }),
        expiringKeys: z.array(z.object({ id: z.string(), name: z.string(), expiresAt: Timestamp() })),
        budgets: describe(
          z.array(z.object({ id: z.string(), name: z.string(), aiBudget: Money(), aiSpent: Money() })),
          'API keys that have spent 80% of their AI budget or more',
        ),
        expiringDomains: describe(
          z.array(z.object({ id: z.string(), domain: z.string(), expiresAt: Timestamp() })),
          'Domains that are not renewed automatically',
        ),
        changes: describe(
          z.array(z.extend(AuditEntry(), { label: z.string() })),
          'The newest entries of the audit log, each with its action in words',
        ),
      }),
    ),
});
