import * as z from 'zod/mini';
import { CERTIFICATE_STATUSES, CUSTOM_DOMAIN_STATUSES } from '../enums.ts';
import { describe, Id, resource, single, Timestamp } from '../envelope.ts';
import { HostName } from '../host-names/host-names.ts';
import { route } from '../route.ts';

const DnsEntry = () => z.object({ type: z.string(), name: z.string(), value: z.string() });

const Certificate = () =>
  z.object({
    status: z.enum(CERTIFICATE_STATUSES),
    problem: describe(z.nullable(z.string()), 'The reason why the certificate is not issued; null if there is none'),
    checkedAt: z.nullable(Timestamp()),
  });

/**
 * An application's custom domain: its verification, the DNS records that its owner must create, and the state of its
 * certificate.
 */
const CustomDomain = resource('CustomDomain', () =>
  z.object({
    domain: z.string(),
    status: z.enum(CUSTOM_DOMAIN_STATUSES),
    managed: describe(
      z.boolean(),
      'True for a domain of this account whose DNS the platform serves. You do not have to create any records.',
    ),
    challenge: describe(DnsEntry(), 'The record that proves that the domain is yours'),
    target: describe(
      DnsEntry(),
      'The record that points the domain to the application. The platform creates it automatically if it serves the domain’s DNS for the account. At the zone apex, where a CNAME is not allowed, the type is `ALIAS`; some DNS providers call it ANAME.',
    ),
    problem: describe(z.nullable(z.string()), 'What the last check found missing; null if nothing'),
    checkedAt: z.nullable(Timestamp()),
    claimedUntil: describe(
      z.nullable(Timestamp()),
      'The time by which to verify the domain; the claim expires then. For a verified domain, the time by which to restore a missing proof; null while the proof is in place.',
    ),
    certificate: describe(
      z.nullable(Certificate()),
      'The certificate, which is requested once the domain is verified and points to the platform. Null before, and for reserved names.',
    ),
  }),
);

const SetCustomDomain = () => z.object({ domain: HostName() });
const RemovedDomain = () => z.object({ domain: z.string(), removed: z.literal(true) });

const tag = 'Applications';

export const getCustomDomain = /* @__PURE__ */ route({
  id: 'getCustomDomain',
  method: 'GET',
  path: '/dashboard/v1/apps/{id}/domain',
  access: 'login',
  right: 'member',
  summary: "Read an application's custom domain and the DNS records to create; null if it has none",
  tag,
  params: Id,
  response: () => single(z.nullable(CustomDomain())),
  uses: ['edge-endpoint'],
});

export const checkCustomDomain = /* @__PURE__ */ route({
  id: 'checkCustomDomain',
  method: 'POST',
  path: '/dashboard/v1/apps/{id}/domain/check',
  access: 'login',
  right: 'develop',
  audit: { because: 'it only repeats a check that the platform repeats on a schedule' },
  summary:
    'Check the DNS of a custom domain now: first the verification, then whether the domain points to the platform',
  tag,
  params: Id,
  response: () => single(CustomDomain()),
  uses: ['dns', 'edge-endpoint'],
});

export const setCustomDomain = /* @__PURE__ */ route({
  id: 'setCustomDomain',
  method: 'PUT',
  path: '/dashboard/v1/apps/{id}/domain',
  access: 'login',
  right: 'develop',
  audit: 'custom-domain.set',
  summary: 'Set the custom domain of an application that has none',
  tag,
  params: Id,
  body: SetCustomDomain,
  response: () => single(CustomDomain()),
  uses: ['edge-endpoint'],
});

export const removeCustomDomain = /* @__PURE__ */ route({
  id: 'removeCustomDomain',
  method: 'DELETE',
  path: '/dashboard/v1/apps/{id}/domain',
  access: 'login',
  right: 'develop',
  audit: 'custom-domain.removed',
  summary: "Remove an application's custom domain; the application stays reachable at its default address",
  tag,
  params: Id,
  response: () => single(RemovedDomain()),
});
