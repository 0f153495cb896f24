import { isObject, parseJson } from '../../contract/json.ts';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { type Credentials, config, endpointFor, readCredentials } from '../config.ts';
import { type Answered, AwsError, exchange, withRetries } from './client.ts';

/** A request to a service with the REST or the query protocol. */
interface RestRequest {
  /** The service's name in signatures. */
  service: string;
  /** The first label of its host name, where that is another. */
  host?: string;
  region?: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  /** Those of another role; the function's own unless given. */
  credentials?: (() => Promise<Credentials>) | undefined;
  timeout: number;
}

const TIMEOUT_MS = TIMEOUTS_S.aws.attempt * 1000;

/**
 * Signs with aws4, which handles any headers and paths, and sends once. It takes 10 ms to load and is loaded with the first
 * call.
 */
export async function sendSigned(request: RestRequest): Promise<Answered> {
  const { service, host = service, region = config.AWS_REGION, credentials, timeout, ...content } = request;
  const { default: aws4 } = await import('aws4');
  const endpoint = endpointFor(host, region);
  const { headers = {} } = aws4.sign(
    { ...content, service, region, host: endpoint.host },
    credentials ? await credentials() : readCredentials(),
  );
  return await exchange(endpoint, { ...content, headers, timeout });
}

type Service = Pick<RestRequest, 'service' | 'host' | 'region'>;

/** Calls an operation that takes JSON by POST. Throws {@link AwsError}. */
export async function postJson(of: Service, path: string, input: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const request = { ...of, method: 'POST', path, headers, body: JSON.stringify(input), timeout: TIMEOUT_MS };
  await withRetries(() => sendOnce(request), TIMEOUT_MS);
}

/** Reads a document in JSON. Throws {@link AwsError}. */
export function getJson<Output>(of: Service, path: string): Promise<Output> {
  const request = { ...of, method: 'GET', path, headers: {}, timeout: TIMEOUT_MS };
  return withRetries(async () => {
    const { status, body } = await sendOnce(request);
    const answer = parseJson(body.toString('utf8'));
    if (isObject(answer)) return answer as Output;
    throw new AwsError(`Http${status}`, `${of.service} answered ${status} without a document`, status);
  }, TIMEOUT_MS);
}

async function sendOnce(request: RestRequest): Promise<Answered> {
  const answer = await sendSigned(request);
  if (answer.status === 200) return answer;
  const name = String(answer.headers['x-amzn-errortype'] ?? `Http${answer.status}`).split(':')[0] ?? '';
  const message = `${request.service} answered ${answer.status} ${answer.body.toString('utf8')}`;
  throw new AwsError(name, message, answer.status);
}

/** Returns the text of the first element of a name in an answer in XML. */
export const textIn = (body: Buffer, element: string): string | undefined =>
  new RegExp(`<${element}>([^<]+)</${element}>`).exec(body.toString('utf8'))?.[1];

/** Returns the error that an answer in XML means. */
export function xmlError(service: string, { status, body }: Answered): AwsError {
  const name = textIn(body, 'Code') ?? `Http${status}`;
  return new AwsError(name, `${service} answered ${status} ${name}`, status);
}
