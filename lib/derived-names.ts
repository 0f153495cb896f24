import * as z from 'zod';

/** Names that follow from settings, within the limits of their services. */

/** Prefix of the platform's physical names. */
export const prefixOf = (stage: string): string => `hosting-${stage}`;

/** Host prefix of Cognito's sign-in pages, which refuses Amazon's own words. */
export const loginPrefix = z
  .string()
  .regex(
    /^(?!.*(aws|amazon|cognito))[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
    'must be up to 63 lower-case letters, digits and hyphens, without "aws", "amazon" and "cognito"',
  );

/** Returns the host prefix of the sign-in pages for a domain. */
export const derivedLoginPrefix = ({ stage, domain }: { stage: string; domain: string }): string =>
  `${prefixOf(stage)}-${domain.replaceAll('.', '-')}`.slice(0, 63).replace(/-+$/, '');

interface Named {
  stage: string;
  domain: string;
  loginPrefix?: string | undefined;
}

/** Returns the reasons why derived names cannot be used, each naming the setting to change. */
export function findNameProblems(settings: Named): string[] {
  const derived = derivedLoginPrefix(settings);
  if (settings.loginPrefix !== undefined || loginPrefix.safeParse(derived).success) return [];
  return [
    `loginPrefix: give one, such as ${prefixOf(settings.stage)}-login: ${derived}, which follows from the domain, contains "aws", "amazon" or "cognito", which Cognito refuses`,
  ];
}
