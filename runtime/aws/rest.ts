import { isObject, parseJson } from '../../contract/json.ts';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { type Credentials, config, endpointFor, readCredentials } from '../config.ts';
import { AwsError, type HttpResponse, sendHttp, withRetries } from './client.ts';

/** A request to a service with the REST or query protocol. */
interface RestRequest {
  /** The service's name in signatures. */
  service: string;
  /** The first label of its host name, if it differs from `service`. */
  host?: string;
  region?: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  /** The credentials of another role. Default: those of the function. */
  credentials?: (() => Promise<Credentials>) | undefined;
  timeout: number;
}

const TIMEOUT_MS = TIMEOUTS_S.aws.attempt * 1000;

/**
 * Signs a request with aws4, which handles any headers and paths, and sends it once. aws4 takes 10 ms to load, so it is loaded with
 * the first call.
 */
export async function sendSigned(request: RestRequest): Promise<HttpResponse> {
  const { service, host = service, region = config.AWS_REGION, credentials, timeout, ...content } = request;
  const { default: aws4 } = await import('aws4');
  const endpoint = endpointFor(host, region);
  const { headers = {} } = aws4.sign(
    { ...content, service, region, host: endpoint.host },
    credentials ? await credentials() : readCredentials(),
  );
  return await sendHttp(endpoint, { ...content, headers, timeout });
}

type Service = Pick<RestRequest, 'service' | 'host' | 'region'>;

/** Calls an operation by POST with a JSON body. Throws {@link AwsError}. */
export async function postJson(service: Service, path: string, input: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const request = { ...service, method: 'POST', path, headers, body: JSON.stringify(input), timeout: TIMEOUT_MS };
  await withRetries(() => sendOnce(request), TIMEOUT_MS);
}

/** Reads a JSON document by GET. Throws {@link AwsError}. */
export function getJson<Output>(service: Service, path: string): Promise<Output> {
  const request = { ...service, method: 'GET', path, headers: {}, timeout: TIMEOUT_MS };
  return withRetries(async () => {
    const { status, body } = await sendOnce(request);
    const document = parseJson(body.toString('utf8'));
    if (isObject(document)) return document as Output;
    throw new AwsError(`Http${status}`, `${service.service} answered ${status} without a document`, status);
  }, TIMEOUT_MS);
}

async function sendOnce(request: RestRequest): Promise<HttpResponse> {
  const response = await sendSigned(request);
  if (response.status === 200) return response;
  const name = String(response.headers['x-amzn-errortype'] ?? `Http${response.status}`).split(':')[0] ?? '';
  const message = `${request.service} answered ${response.status} ${response.body.toString('utf8')}`;
  throw new AwsError(name, message, response.status);
}

/** Returns the text of the first element with a name in an XML response. */
export const textIn = (body: Buffer, element: string): string | undefined =>
  new RegExp(`<${element}>([^<]+)</${element}>`).exec(body.toString('utf8'))?.[1];

/** Creates the error for an XML error response. */
export function xmlError(service: string, { status, body }: HttpResponse): AwsError {
  const name = textIn(body, 'Code') ?? `Http${status}`;
  return new AwsError(name, `${service} answered ${status} ${name}`, status);
}
