import * as z from 'zod';

/** Names derived from settings, within the limits of their services. */

/** Returns the prefix of the platform's physical names. */
export const prefixOf = (stage: string): string => `hosting-${stage}`;

/** Host prefix of the sign-in pages, in which Cognito refuses Amazon's own names. */
export const loginPrefix = z
  .string()
  .regex(
    /^(?!.*(aws|amazon|cognito))[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
    'must be up to 63 lower-case letters, digits and hyphens, without "aws", "amazon" and "cognito"',
  );

/** Returns the host prefix of the sign-in pages for a domain. */
export const derivedLoginPrefix = ({ stage, domain }: { stage: string; domain: string }): string =>
  `${prefixOf(stage)}-${domain.replaceAll('.', '-')}`.slice(0, 63).replace(/-+$/, '');

/** Returns the name of a bucket. It contains the account, because bucket names are unique across all accounts. */
export const bucketName = ({
  prefix,
  name,
  account,
  region,
}: Record<'prefix' | 'name' | 'account' | 'region', string>) => `${prefix}-${name}-${account}-${region}`;
/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const MAX_BUCKET_NAME = 63;

interface NameSettings {
  stage: string;
  domain: string;
  region: string;
  backupRegion?: string | undefined;
  loginPrefix?: string | undefined;
  cells: readonly { id: string; account: string; region?: string | undefined }[];
}

/** Returns a problem for each bucket name that is too long. It checks only the buckets with the longest names. */
function findLongBuckets({ stage, region, backupRegion, cells }: NameSettings): string[] {
  const prefix = prefixOf(stage);
  // Templates without an account fit any account, and all account ids have the same length.
  const home = { prefix, region, account: '0'.repeat(12) };
  const names = [
    { settings: 'stage', ...home, name: backupRegion === undefined ? 'access-logs' : 'artifact-copies' },
    ...cells.map((cell) => ({
      settings: 'stage, cells',
      prefix: `${prefix}-${cell.id}`,
      name: 'access-logs',
      account: cell.account,
      region: cell.region ?? region,
    })),
  ];
  return names.flatMap(({ settings, ...named }) => {
    const name = bucketName(named);
    if (name.length <= MAX_BUCKET_NAME) return [];
    return [`${settings}: too long for the bucket ${name}, whose name may have ${MAX_BUCKET_NAME} characters`];
  });
}

/** Returns the problems of derived names, each naming the setting to change. */
export function findNameProblems(settings: NameSettings): string[] {
  const derived = derivedLoginPrefix(settings);
  const problems = findLongBuckets(settings);
  if (settings.loginPrefix !== undefined || loginPrefix.safeParse(derived).success) return problems;
  return [
    ...problems,
    `loginPrefix: give one, such as ${prefixOf(settings.stage)}-login: ${derived}, which follows from the domain, contains "aws", "amazon" or "cognito", which Cognito refuses`,
  ];
}
