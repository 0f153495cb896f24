/**
 * The two domains of a stage and their hosted zones. Applications run customers' code, so on AWS they have their own registrable domain:
 * browsers let every host name below a registrable domain set cookies for all other names below it (docs/decisions/0032-names.md).
 */
interface DomainSettings {
  stage: string;
  domain?: string | undefined;
  appsDomain?: string | undefined;
  hostedZoneId?: string | undefined;
  appsHostedZoneId?: string | undefined;
}

/** Stages without customers. They may leave out the zones, and their applications may be below the platform's domain. */
const DEVELOPMENT_STAGES = ['local', 'dev'];

/** Matches second-level labels under which country registries sell names: `co.za`, `com.au`. */
const SECOND_LEVEL = /^(ac|co|com|edu|gov|law|mil|net|nom|org|school|web)$/;

/** Returns the registrable part of a name: one label below the registry's suffix. */
function registrableDomain(name: string): string {
  const labels = name.split('.');
  const [second = '', top = ''] = labels.slice(-2);
  return labels.slice(top.length === 2 && SECOND_LEVEL.test(second) ? -3 : -2).join('.');
}

const isBelow = (name: string, parent: string): boolean => name === parent || name.endsWith(`.${parent}`);

/** Returns the problems of a stage's domains, each naming the setting to change. */
export function findDomainProblems({ stage, ...given }: DomainSettings): string[] {
  const { domain = '', appsDomain, hostedZoneId, appsHostedZoneId } = given;
  const isDevelopment = DEVELOPMENT_STAGES.includes(stage);
  const problems: string[] = [];
  if (!isDevelopment && !domain)
    problems.push(`domain: is required for the stage ${stage}, e.g. -c domain=hosting.example`);
  if (!isDevelopment && !hostedZoneId) {
    problems.push(
      `hostedZoneId: is required for the stage ${stage}: the Route 53 zone of ${domain || 'the domain'}. Without it, nothing answers at the address that users sign in at (docs/deploying.md, 3. Domains)`,
    );
  }
  if (!appsDomain) {
    if (!isDevelopment) {
      problems.push(
        `appsDomain: is required for the stage ${stage}. Register a domain for applications alone, e.g. -c appsDomain=hosting-apps.example (docs/deploying.md, The domain of applications)`,
      );
    }
    return problems;
  }
  if (!isDevelopment && registrableDomain(appsDomain) === registrableDomain(domain)) {
    problems.push(
      `appsDomain: ${appsDomain} is under the same registered domain as ${domain}, so that applications could set cookies for the platform. Register another domain for applications (docs/deploying.md, The domain of applications)`,
    );
  } else if (!appsHostedZoneId && (hostedZoneId || !isDevelopment) && !isBelow(appsDomain, domain)) {
    problems.push(`appsHostedZoneId: is required beside hostedZoneId: the Route 53 zone of ${appsDomain}`);
  }
  return problems;
}
