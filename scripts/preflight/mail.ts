import * as z from 'zod';
import { type Check, check } from './check.ts';
import type { Plan } from './plan.ts';

const Account = z.object({
  ProductionAccessEnabled: z.boolean(),
  SendingEnabled: z.boolean(),
  SendQuota: z.object({ Max24HourSend: z.number() }).default({ Max24HourSend: 0 }),
});

/** Checks that SES sends to all addresses. In its sandbox, it sends only to verified ones. */
function checkSending(region: string): Check {
  const remedy = [
    `aws sesv2 put-account-details --production-access-enabled --mail-type TRANSACTIONAL --website-url https://… --use-case-description 'Sign-up and password emails to our users' --region ${region}`,
    'AWS answers within a day.',
  ];
  return check({
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
  });
}

const Identity = z.object({ VerifiedForSendingStatus: z.boolean() });

/** Checks that SES may send from the sender's domain. */
function checkIdentity(identity: string, region: string): Check {
  const remedy = [
    `aws sesv2 create-email-identity --email-identity ${identity} --region ${region}`,
    `Add the three CNAME records of its DKIM tokens to the zone: aws sesv2 get-email-identity --email-identity ${identity} --region ${region}`,
    'Or let Cognito send, up to 50 mails a day: -c mailFrom=cognito',
  ];
  return check({
    what: `Sender of mails, ${identity} (SES, ${region})`,
    needed: 'verified',
    region,
    find: async ({ rest }) => {
      const path = `/v2/email/identities/${encodeURIComponent(identity)}`;
      return Identity.parse(await rest('ses', region, { operation: 'GetEmailIdentity', method: 'GET', path }));
    },
    assess: ({ VerifiedForSendingStatus: ok }) => ({ ok, found: ok ? 'verified' : 'not verified yet', remedy }),
    remedy,
  });
}

const UserPool = z.object({ EmailConfiguration: z.object({ SourceArn: z.string() }).optional() });

/** Checks that SES can send the emails with sign-up codes from the user pool's identity. Cognito's default sender does not need SES. */
export function checkMail({ resources }: Pick<Plan, 'resources'>): Check[] {
  const pools = resources('AWS::Cognito::UserPool').map(({ properties }) => UserPool.parse(properties));
  const senders = pools.flatMap(({ EmailConfiguration }) => EmailConfiguration?.SourceArn ?? []);
  return senders.flatMap((arn) => {
    const [, , , region = '', , resource = ''] = arn.split(':');
    const [, identity = ''] = resource.split('/');
    return [checkSending(region), checkIdentity(identity, region)];
  });
}
