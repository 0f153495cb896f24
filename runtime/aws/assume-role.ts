import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { Credentials } from '../config.ts';
import { withRetries } from './client.ts';
import { sendSigned, textIn, xmlError } from './rest.ts';

/** The minimum validity of a session in seconds that STS accepts. */
const MIN_SESSION_SECONDS = 900;
const TIMEOUT_MS = TIMEOUTS_S.aws.attempt * 1000;

interface Session {
  roleArn: string;
  name: string;
  seconds: number;
  /** A policy that further restricts the session. */
  policy?: string;
  /** Identifies the caller to a role of another account (https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_common-scenarios_third-party.html). */
  externalId?: string;
  /** The caller's credentials. Default: those of this process. */
  credentials?: () => Promise<Credentials>;
}

/** Assumes a role. The credentials are new, and therefore valid for the full `seconds`. Throws `AwsError`. */
export function assumeRole({ roleArn, name, seconds, policy, externalId, credentials }: Session): Promise<Credentials> {
  const body = new URLSearchParams({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: name,
    ...(policy === undefined ? {} : { Policy: policy }),
    ...(externalId === undefined ? {} : { ExternalId: externalId }),
    DurationSeconds: String(Math.max(seconds, MIN_SESSION_SECONDS)),
  }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
  const request = { service: 'sts', method: 'POST', path: '/', headers, body, timeout: TIMEOUT_MS, credentials };
  return withRetries(async () => {
    const response = await sendSigned(request);
    if (response.status !== 200) throw xmlError('STS', response);
    const read = (element: string): string => textIn(response.body, element) ?? '';
    const [accessKeyId, secretAccessKey] = [read('AccessKeyId'), read('SecretAccessKey')];
    return { accessKeyId, secretAccessKey, sessionToken: read('SessionToken') };
  }, TIMEOUT_MS);
}
