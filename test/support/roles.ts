import { vi } from 'vitest';
import type { Local } from './platform.ts';

/**
 * Lets this process act as one of the platform's functions: with its variables, and with the credentials of its role, which
 * the local run's STS gives to the administrator. Modules that are imported from now on use them.
 * @param name such as `workflow-releaseDeployment`
 */
export async function actAs(name: string, { environment, roles }: Local): Promise<void> {
  const [, RoleArn] = Object.entries(roles).find(([each]) => each.endsWith(`-${name}`)) ?? [];
  if (!RoleArn) throw new Error(`The platform has no function ${name}`);
  const credential = `${environment.AWS_ACCESS_KEY_ID}/20200101/${environment.AWS_REGION}/sts/aws4_request`;
  const response = await fetch(environment.AWS_ENDPOINT_URL_STS ?? '', {
    method: 'POST',
    headers: { authorization: `AWS4-HMAC-SHA256 Credential=${credential}` },
    body: new URLSearchParams({ Action: 'AssumeRole', Version: '2011-06-15', RoleArn, RoleSessionName: name }),
  });
  const answer = await response.text();
  const read = (tag: string): string => new RegExp(`<${tag}>([^<]+)</${tag}>`).exec(answer)?.[1] ?? '';
  vi.resetModules();
  Object.assign(process.env, environment, {
    AWS_ACCESS_KEY_ID: read('AccessKeyId'),
    AWS_SECRET_ACCESS_KEY: read('SecretAccessKey'),
    AWS_SESSION_TOKEN: read('SessionToken'),
  });
}
