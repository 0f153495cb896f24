import type { NODE_VERSIONS } from '../enums.ts';

/**
 * The end of Lambda's support for each Node version: from `deprecated`, it receives no security patches; from `blocked`, Lambda
 * refuses releases that use it. AWS has moved these dates before. The platform therefore offers a version until AWS refuses it
 * (providers/app-host/app-host.ts).
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtimes.html, November 2026.
 */
export const NODE_SUPPORT: Record<(typeof NODE_VERSIONS)[number], { deprecated: string; blocked: string }> = {
  '20': { deprecated: '2026-04-30', blocked: '2027-03-03' },
  '22': { deprecated: '2027-04-30', blocked: '2027-07-01' },
  '24': { deprecated: '2028-04-30', blocked: '2028-07-01' },
};

/** Returns the warning for an application on an unsupported Node version; undefined while the version is supported. */
export function nodeSupportWarning(version: keyof typeof NODE_SUPPORT, now: Date): string | undefined {
  const { deprecated, blocked } = NODE_SUPPORT[version];
  if (now.toISOString() < deprecated) return undefined;
  return `warning: Node ${version} receives no security updates since ${deprecated}, and new releases will be refused from about ${blocked}: set nodeVersion to 24`;
}
