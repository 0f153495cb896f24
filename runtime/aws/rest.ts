import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { endpointFor, readCredentials } from '../config.ts';
import { AwsError, exchange, withRetries } from './client.ts';

/** A service with the REST protocol: its name in signatures, the first label of its host name, and a region. */
interface RestService {
  service: string;
  host: string;
  region: string;
}

const TIMEOUT_MS = TIMEOUTS_S.aws.attempt * 1000;

/** Calls an operation that takes JSON by POST, signed by aws4. Throws {@link AwsError}. */
export function postJson({ service, host, region }: RestService, path: string, input: object): Promise<void> {
  const body = JSON.stringify(input);
  return withRetries(async () => {
    const { default: aws4 } = await import('aws4');
    const endpoint = endpointFor(host, region);
    const request = { method: 'POST', path, body, headers: { 'content-type': 'application/json' } };
    const { headers = {} } = aws4.sign({ ...request, service, region, host: endpoint.host }, readCredentials());
    const answer = await exchange(endpoint, { ...request, headers, timeout: TIMEOUT_MS });
    if (answer.status === 200) return;
    const name = String(answer.headers['x-amzn-errortype'] ?? `Http${answer.status}`).split(':')[0] ?? '';
    throw new AwsError(name, `${service} answered ${answer.status} ${answer.body.toString('utf8')}`, answer.status);
  }, TIMEOUT_MS);
}
