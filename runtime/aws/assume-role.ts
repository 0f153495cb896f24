import aws4 from 'aws4';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { type Credentials, config, endpointFor, readCredentials } from '../config.ts';

/** Minimum validity of a session in seconds, by STS. */
const MIN_SESSION_SECONDS = 900;
const TIMEOUT_MS = TIMEOUTS_S.aws.attempt * 1000;
/** Together less than a call of AWS may take. */
const ATTEMPTS = 2;
const RETRY_MS = 200;

interface Session {
  roleArn: string;
  name: string;
  seconds: number;
  /** Restricts the session further than the role's policy. */
  policy?: string;
  /** Names the caller to a role of another account (https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_common-scenarios_third-party.html). */
  externalId?: string;
}

/** Assumes a role. The credentials are new, so they last as long as was asked for. */
export async function assumeRole({ roleArn, name, seconds, policy, externalId }: Session): Promise<Credentials> {
  const endpoint = endpointFor('sts');
  const body = new URLSearchParams({
    ...{ Action: 'AssumeRole', Version: '2011-06-15', RoleArn: roleArn, RoleSessionName: name },
    ...(policy === undefined ? {} : { Policy: policy }),
    ...(externalId === undefined ? {} : { ExternalId: externalId }),
    DurationSeconds: String(Math.max(seconds, MIN_SESSION_SECONDS)),
  }).toString();
  for (let attempt = 1; ; attempt += 1) {
    try {
      const signed = aws4.sign(
        {
          ...{ service: 'sts', region: config.AWS_REGION, host: endpoint.host, method: 'POST', path: '/', body },
          headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
        },
        readCredentials(),
      );
      const headers = Object.entries(signed.headers ?? {}).filter(([each]) => !/^(host|content-length)$/i.test(each));
      const response = await fetch(endpoint, {
        ...{ method: 'POST', body, signal: AbortSignal.timeout(TIMEOUT_MS) },
        headers: headers.map(([each, value]): [string, string] => [each, String(value)]),
      });
      const text = await response.text();
      const read = (tag: string): string => new RegExp(`<${tag}>([^<]+)</${tag}>`).exec(text)?.[1] ?? '';
      if (!response.ok) throw new Error(`STS answered ${response.status} ${read('Code')}`);
      const [accessKeyId, secretAccessKey] = [read('AccessKeyId'), read('SecretAccessKey')];
      return { accessKeyId, secretAccessKey, sessionToken: read('SessionToken') };
    } catch (error) {
      if (attempt >= ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * attempt));
    }
  }
}
