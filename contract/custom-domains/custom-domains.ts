import * as z from 'zod/mini';
import { HostName } from '../apps/apps.ts';
import { CERTIFICATE_STATUSES, CUSTOM_DOMAIN_STATUSES } from '../enums.ts';
import { Id, one, resource, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';

const DnsEntry = () => z.object({ type: z.string(), name: z.string(), value: z.string() });

const Certificate = () =>
  z.object({
    status: z.enum(CERTIFICATE_STATUSES),
    problem: z.nullable(z.string()).register(z.globalRegistry, { description: 'What stands in its way' }),
    checkedAt: z.nullable(Timestamp()),
  });

/**
 * An application's own domain: whether it is proven to be its owner's, what they are to put into its DNS, and how far its
 * certificate is.
 */
export const CustomDomain = resource('CustomDomain', () =>
  z.object({
    domain: z.string(),
    status: z.enum(CUSTOM_DOMAIN_STATUSES),
    challenge: DnsEntry().register(z.globalRegistry, { description: 'Proves that the domain is yours' }),
    target: DnsEntry().register(z.globalRegistry, {
      description:
        'Sends its visitors to the application; made by itself where the account’s own DNS with us answers for it. `ALIAS` at the top of a zone, where no CNAME may be: some name servers call it ANAME',
    }),
    problem: z.nullable(z.string()).register(z.globalRegistry, { description: 'What the last check found missing' }),
    checkedAt: z.nullable(Timestamp()),
    claimedUntil: z.nullable(Timestamp()).register(z.globalRegistry, {
      description: 'Not proven by then, the domain is anybody’s again',
    }),
    certificate: z.nullable(Certificate()).register(z.globalRegistry, {
      description:
        'Asked for once the domain is proven and leads to us; null before, and for names that nobody can own',
    }),
  }),
);

const OwnDomain = () => z.object({ domain: HostName() });
const RemovedDomain = () => z.object({ domain: z.string(), removed: z.literal(true) });

const tag = 'Applications';

export const getCustomDomain = route({
  id: 'getCustomDomain',
  method: 'GET',
  path: '/dashboard/v1/apps/{id}/domain',
  access: 'login',
  summary: "Read the state of an application's own domain, and what is to be put into its DNS",
  tag,
  params: Id,
  response: () => one(CustomDomain()),
  uses: ['doors'],
});

export const checkCustomDomain = route({
  id: 'checkCustomDomain',
  method: 'POST',
  path: '/dashboard/v1/apps/{id}/domain/check',
  access: 'login',
  summary: 'Look into the DNS now: whether the domain is proven to be yours, and then whether it leads to us',
  tag,
  params: Id,
  response: () => one(CustomDomain()),
  uses: ['dns', 'doors'],
});

export const setCustomDomain = route({
  id: 'setCustomDomain',
  method: 'PUT',
  path: '/dashboard/v1/apps/{id}/domain',
  access: 'login',
  summary: 'Give an application that has none a domain of its own',
  tag,
  params: Id,
  body: OwnDomain,
  response: () => one(CustomDomain()),
  uses: ['doors'],
});

export const removeCustomDomain = route({
  id: 'removeCustomDomain',
  method: 'DELETE',
  path: '/dashboard/v1/apps/{id}/domain',
  access: 'login',
  summary: "Let go of an application's own domain; it answers at its own address",
  tag,
  params: Id,
  response: () => one(RemovedDomain()),
});
