import { vi } from 'vitest';
import type { Local } from './platform.ts';

/** Credentials of a role's session. */
export interface RoleCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
}

/**
 * Asks the local run's STS for a session of a role. Throws its error's code.
 * @param as the session that asks; the administrator without one
 */
export async function assumeRole(
  { environment }: Local,
  role: { arn: string; name: string; externalId?: string },
  as?: RoleCredentials,
): Promise<RoleCredentials> {
  const keyId = as?.accessKeyId ?? environment.AWS_ACCESS_KEY_ID;
  const credential = `${keyId}/20200101/${environment.AWS_REGION}/sts/aws4_request`;
  const response = await fetch(environment.AWS_ENDPOINT_URL_STS ?? '', {
    method: 'POST',
    headers: {
      authorization: `AWS4-HMAC-SHA256 Credential=${credential}`,
      ...(as ? { 'x-amz-security-token': as.sessionToken } : {}),
    },
    body: new URLSearchParams({
      Action: 'AssumeRole',
      Version: '2011-06-15',
      RoleArn: role.arn,
      RoleSessionName: role.name,
      ...(role.externalId === undefined ? {} : { ExternalId: role.externalId }),
    }),
  });
  const answer = await response.text();
  const read = (tag: string): string => new RegExp(`<${tag}>([^<]+)</${tag}>`).exec(answer)?.[1] ?? '';
  if (!response.ok) throw new Error(read('Code'));
  return {
    accessKeyId: read('AccessKeyId'),
    secretAccessKey: read('SecretAccessKey'),
    sessionToken: read('SessionToken'),
  };
}

/** Returns the ARN of a function's role. @param name such as `workflow-releaseDeployment` */
export function roleOf({ roles }: Local, name: string): string {
  const [, arn] = Object.entries(roles).find(([each]) => each.endsWith(`-${name}`)) ?? [];
  if (!arn) throw new Error(`The platform has no function ${name}`);
  return arn;
}

/**
 * Lets this process act as one of the platform's functions: with its variables, and with the credentials of its role, which
 * the local run's STS gives to the administrator. Modules that are imported from now on use them.
 * @param name such as `workflow-releaseDeployment`
 */
export async function actAs(name: string, of: Local): Promise<void> {
  const session = await assumeRole(of, { arn: roleOf(of, name), name });
  vi.resetModules();
  Object.assign(process.env, of.environment, {
    AWS_ACCESS_KEY_ID: session.accessKeyId,
    AWS_SECRET_ACCESS_KEY: session.secretAccessKey,
    AWS_SESSION_TOKEN: session.sessionToken,
  });
}
