/**
 * The domain of applications' default addresses. Applications run code of customers, so on AWS they have a registrable
 * domain of their own: browsers let every host name below a registrable domain set cookies for all others below it
 * (docs/decisions/0032-names.md).
 */
interface Domains {
  stage: string;
  domain: string;
  appsDomain?: string | undefined;
  hostedZoneId?: string | undefined;
  appsHostedZoneId?: string | undefined;
}

/** Stages without customers: applications may live under the platform's domain. */
const DEVELOPMENT_STAGES = ['local', 'dev'];

/** Second-level labels under which registries of countries sell names: `co.za`, `com.au`. */
const SECOND_LEVEL = /^(ac|co|com|edu|gov|law|mil|net|nom|org|school|web)$/;

/** Returns the part of a name that is registered: one label below the registry's suffix. */
function registrableDomain(name: string): string {
  const labels = name.split('.');
  const [second = '', top = ''] = labels.slice(-2);
  return labels.slice(top.length === 2 && SECOND_LEVEL.test(second) ? -3 : -2).join('.');
}

/** Returns the reason why a stage cannot use these domains, naming the setting to change; undefined if it can. */
export function findAppsDomainProblem({ stage, domain, ...given }: Domains): string | undefined {
  const { appsDomain, hostedZoneId, appsHostedZoneId } = given;
  if (!appsDomain) {
    if (DEVELOPMENT_STAGES.includes(stage)) return undefined;
    return `appsDomain: is required for the stage ${stage}. Register a domain for applications alone, e.g. -c appsDomain=hosting-apps.example (docs/deploying.md, The domain of applications)`;
  }
  if (!DEVELOPMENT_STAGES.includes(stage) && registrableDomain(appsDomain) === registrableDomain(domain)) {
    return `appsDomain: ${appsDomain} is under the same registered domain as ${domain}, so that applications could set cookies for the platform. Register another domain for applications (docs/deploying.md, The domain of applications)`;
  }
  const isBelow = appsDomain === domain || appsDomain.endsWith(`.${domain}`);
  if (hostedZoneId && !appsHostedZoneId && !isBelow) {
    return `appsHostedZoneId: is required beside hostedZoneId: the Route 53 zone of ${appsDomain}`;
  }
  return undefined;
}
