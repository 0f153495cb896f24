import { GetHostedZoneCommand, Route53Client } from '@aws-sdk/client-route-53';
import * as z from 'zod';
import type { CellNames } from '../../lib/cells.ts';
import { type Check, check } from './check.ts';
import type { Plan } from './plan.ts';

const withoutDot = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** Checks that a zone is the public zone of a domain, and that the domain is delegated to its name servers. */
function checkZone(domain: string, id: string, setting: string): Check {
  return check({
    what: `Hosted zone ${id}`,
    needed: `the public zone of ${domain}, or of a domain above it, to which that is delegated`,
    find: async ({ nameServers }) => {
      // Route 53 is a global service.
      const route53 = new Route53Client({ region: 'us-east-1' });
      const { HostedZone, DelegationSet } = await route53.send(new GetHostedZoneCommand({ Id: id }));
      const name = withoutDot(HostedZone?.Name ?? '');
      return {
        name,
        isPrivate: HostedZone?.Config?.PrivateZone === true,
        servers: (DelegationSet?.NameServers ?? []).map(withoutDot).sort(),
        delegated: (await nameServers(name)).sort(),
      };
    },
    assess: ({ name, isPrivate, servers, delegated }) => {
      if (isPrivate || (name !== domain && !domain.endsWith(`.${name}`))) {
        const remedy = [`aws route53 list-hosted-zones-by-name --dns-name ${domain}`, `Give its id as -c ${setting}=`];
        return { ok: false, found: `${isPrivate ? 'a private' : 'the'} zone of ${name}`, remedy };
      }
      const isDelegated = delegated.length > 0 && delegated.every((server) => servers.includes(server));
      const remedy = [
        `Set the name servers of ${name} at its registrar: ${servers.join(' ')}`,
        'Registries take minutes to two days.',
      ];
      return {
        ok: isDelegated,
        found: `zone of ${name}, delegated to ${delegated.join(' ') || 'no name server'}`,
        remedy,
      };
    },
    remedy: [
      `aws route53 create-hosted-zone --name ${domain} --caller-reference ${domain}`,
      `Give the id of the zone as -c ${setting}=`,
    ],
  });
}

const LoginDomain = z.object({ DomainDescription: z.looseObject({ UserPoolId: z.string().optional() }) });

/** Checks that the host prefix of the sign-in pages is free or used by this stage. Prefixes are unique in a region. */
function checkLoginPrefix({ config: { loginPrefix, region, prefix } }: Plan): Check {
  return check({
    what: 'Host prefix of the sign-in pages',
    needed: `${loginPrefix} is free, or belongs to this stage`,
    region,
    find: async ({ json }) => {
      const found = LoginDomain.parse(
        await json('cognito-idp', region, 'DescribeUserPoolDomain', { Domain: loginPrefix }),
      );
      const { UserPoolId } = found.DomainDescription;
      if (!UserPoolId) return undefined;
      return z
        .object({ UserPool: z.object({ Id: z.string(), Name: z.string() }) })
        .parse(await json('cognito-idp', region, 'DescribeUserPool', { UserPoolId })).UserPool;
    },
    assess: (pool) => ({
      ok: !pool || pool.Name === prefix,
      found: pool ? `used by the user pool ${pool.Name} (${pool.Id})` : 'free',
      remedy: ['Choose another one: -c loginPrefix='],
    }),
    remedy: ['Another account may have the prefix: choose another one, -c loginPrefix='],
  });
}

/** Checks the domains of the platform and of applications for which the settings contain zones. */
export function checkDomains(plan: Plan): Check[] {
  const { domain, appsDomain, hostedZoneId, appsHostedZoneId } = plan.config;
  return [
    ...(hostedZoneId ? [checkZone(domain, hostedZoneId, 'hostedZoneId')] : []),
    ...(appsHostedZoneId && appsHostedZoneId !== hostedZoneId
      ? [checkZone(appsDomain, appsHostedZoneId, 'appsHostedZoneId')]
      : []),
    checkLoginPrefix(plan),
  ];
}

/** Checks the domain of a hosting cell. */
export const checkCellDomain = ({ config: { appsDomain, hostedZoneId } }: CellNames): Check[] =>
  hostedZoneId ? [checkZone(appsDomain, hostedZoneId, 'cells')] : [];
