import * as z from 'zod';
import { type Check, check } from './check.ts';
import type { Plan } from './plan.ts';

const Account = z.object({
  ProductionAccessEnabled: z.boolean(),
  SendingEnabled: z.boolean(),
  SendQuota: z.object({ Max24HourSend: z.number() }).default({ Max24HourSend: 0 }),
});

/** Checks that users get the mails with their sign-up codes: in its sandbox, SES sends only to addresses of our own. */
export function checkMail({ config: { region } }: Plan): Check[] {
  const remedy = [
    `aws sesv2 put-account-details --production-access-enabled --mail-type TRANSACTIONAL --website-url https://… --use-case-description 'Sign-up and password mails of our users' --region ${region}`,
    'AWS answers within a day.',
  ];
  return [
    check({
      what: `Mail (SES, ${region})`,
      needed: 'out of the sandbox, and sending is not paused',
      region,
      find: async ({ rest }) =>
        Account.parse(await rest('ses', region, { operation: 'GetAccount', method: 'GET', path: '/v2/email/account' })),
      assess: ({ ProductionAccessEnabled, SendingEnabled, SendQuota }) => ({
        ok: ProductionAccessEnabled && SendingEnabled,
        found: `${ProductionAccessEnabled ? '' : 'in the sandbox, '}${SendingEnabled ? '' : 'paused, '}${SendQuota.Max24HourSend} mails a day`,
        remedy: SendingEnabled ? remedy : ['See the SES console, Account dashboard, for the reason of the pause.'],
      }),
      remedy,
    }),
  ];
}
