import * as z from 'zod/mini';
import { AuditEntry } from '../audit/entry.ts';
import { describe, Money, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';

/** The number of days before an expiry from which it is shown. */
export const EXPIRES_SOON_DAYS = 30;
/** The number of changes that the overview shows. */
export const RECENT_CHANGES = 8;

const Lasts = () =>
  describe(
    z.nullable(z.object({ perDay: Money(), days: z.int() })),
    'Average spending per day, and the days for which the money lasts at that rate; null while nothing is spent',
  );

export const getOverview = /* @__PURE__ */ route({
  id: 'getOverview',
  method: 'GET',
  path: '/dashboard/v1/overview',
  access: 'login',
  right: 'member',
  summary: 'Read what needs your attention, how long your money lasts, and the latest changes',
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
            'Endpoints that are disabled, or whose latest attempts failed',
          ),
        }),
        expiringKeys: z.array(z.object({ id: z.string(), name: z.string(), expiresAt: Timestamp() })),
        budgets: describe(
          z.array(z.object({ id: z.string(), name: z.string(), aiBudget: Money(), aiSpent: Money() })),
          'API keys that have spent 80% of their AI budget or more',
        ),
        expiringDomains: describe(
          z.array(z.object({ id: z.string(), domain: z.string(), expiresAt: Timestamp() })),
          'Domains that expire soon and are not renewed automatically',
        ),
        changes: describe(
          z.array(z.extend(AuditEntry(), { label: z.string() })),
          'The newest entries of the audit log, each with a label for its action',
        ),
      }),
    ),
});
