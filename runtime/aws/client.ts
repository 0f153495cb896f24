import type { IncomingMessage, RequestOptions } from 'node:http';
import { isObject, parseJson } from '../../contract/json.ts';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { createConnectionPool } from '../../providers/http/connections.ts';
import { type Credentials, config, endpointFor, readCredentials } from '../config.ts';
import { signJson } from './signature.ts';

/**
 * A lean AWS client for the request path: SigV4 (signature.ts), keep-alive connections and the JSON protocol. Other protocols
 * (rest.ts) and S3 objects (objects.ts) share its retries. docs/decisions/0006-lean-aws-client.md explains why it replaces the SDK.
 */

/**
 * An error response of an AWS service, or a service that is unreachable after all retries. `name` is the service's error type, or
 * `Http` and the status of a response without one.
 */
export class AwsError extends Error {
  readonly status: number;
  /** The parsed error document, for details such as the reasons of a cancelled transaction. */
  readonly detail: Record<string, unknown>;
  /** True if an earlier attempt of the same call may have been carried out: its response was lost, or was a 5xx. */
  afterLostResponse = false;
  constructor(name: string, message: string, status: number, detail: Record<string, unknown> = {}) {
    super(message);
    this.name = name;
    this.status = status;
    this.detail = detail;
  }
}

interface Protocol {
  target: string;
  version: string;
  region?: string;
  /** The service's name in signatures, if it differs from the name in its host. */
  signedAs?: string;
}

const PROTOCOLS = {
  acm: { target: 'CertificateManager', version: '1.1' },
  codebuild: { target: 'CodeBuild_20161006', version: '1.1' },
  'cognito-idp': { target: 'AWSCognitoIdentityProviderService', version: '1.1' },
  dynamodb: { target: 'DynamoDB_20120810', version: '1.0' },
  kms: { target: 'TrentService', version: '1.1' },
  logs: { target: 'Logs_20140328', version: '1.1' },
  monitoring: { target: 'GraniteServiceVersion20100801', version: '1.0' },
  secretsmanager: { target: 'secretsmanager', version: '1.1' },
  servicequotas: { target: 'ServiceQuotasV20190624', version: '1.1' },
  sqs: { target: 'AmazonSQS', version: '1.0' },
  'streams.dynamodb': { target: 'DynamoDBStreams_20120810', version: '1.0', signedAs: 'dynamodb' },
  // A global service with one region.
  route53domains: { target: 'Route53Domains_v20140515', version: '1.1', region: 'us-east-1' },
} as const satisfies Record<string, Protocol>;

interface CallPolicy {
  region?: string;
  /** The maximum number of attempts. */
  attempts?: number | undefined;
  /** The timeout of an attempt in milliseconds. */
  timeout?: number;
  /** True for a change that must not be made twice. It is retried only if the service reports that it did not make the change. */
  once?: boolean | undefined;
  /** The credentials of another role. Default: those of the function. */
  credentials?: (() => Promise<Credentials>) | undefined;
}
const MAX_ATTEMPTS = 4;
const ATTEMPT_TIMEOUT_MS = TIMEOUTS_S.aws.attempt * 1000;
const CALL_TIMEOUT_MS = TIMEOUTS_S.aws.call * 1000;

/** Returns a pool of keep-alive connections, which calls reuse. */
const connectionFor = createConnectionPool(100);

interface HttpRequest {
  method: string;
  path: string;
  /** The signed headers. */
  headers: RequestOptions['headers'];
  body?: string | Buffer;
  timeout: number;
}
export interface HttpResponse {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** Sends a request once. Rejects on a timeout or a broken connection, not on an error status. */
export async function sendHttp(endpoint: URL, { body, ...request }: HttpRequest): Promise<HttpResponse> {
  const { request: open, agent } = await connectionFor(endpoint.protocol);
  const options = { ...request, hostname: endpoint.hostname, port: endpoint.port, agent };
  return await new Promise((resolve, reject) => {
    // The messages of timeouts and broken connections do not name the service, which is what an operator needs first.
    const fail = (error: Error) => reject(Object.assign(error, { message: `${endpoint.host}: ${error.message}` }));
    const outgoing = open(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, body: Buffer.concat(chunks) });
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new AwsError('TimeoutError', 'The request timed out', 0)));
    outgoing.on('error', fail);
    outgoing.end(body);
  });
}

const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));
/**
 * Error types below 500 of requests that a service did not carry out and that may be retried: its rate limit is reached, another
 * change of the same resource is in progress, or the request did not arrive completely.
 */
const REPEATABLE =
  /Throttl|LimitExceeded|TooManyRequests|SlowDown|ThroughputExceeded|OperationAborted|ConditionalRequestConflict|RequestTimeout/;

/**
 * Retries broken connections, 5xx responses and {@link REPEATABLE} errors, with full jitter from 25 ms, as long as another attempt of
 * `timeout` milliseconds fits into the total time of a call. The function must outlast the call, so that it can respond.
 */
export async function withRetries<T>(
  work: () => Promise<T>,
  timeout: number,
  { attempts = MAX_ATTEMPTS, once = false }: Pick<CallPolicy, 'attempts' | 'once'> = {},
): Promise<T> {
  const lastStart = performance.now() + CALL_TIMEOUT_MS - timeout;
  let isLost = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const refused = error instanceof AwsError && error.status >= 400 && error.status < 500;
      const repeatable = error instanceof AwsError && error.status < 500 && REPEATABLE.test(error.name);
      if (isLost && error instanceof AwsError) error.afterLostResponse = true;
      if (attempt >= attempts || ((refused || once) && !repeatable)) throw error;
      isLost ||= !repeatable;
      await pause(Math.random() * 25 * 2 ** attempt);
      if (performance.now() > lastStart) throw error;
    }
  }
}

/**
 * Calls an operation of a service with the JSON protocol, e.g. `callAws('dynamodb', 'GetItem', {…})`. Throws {@link
 * AwsError}.
 */
export function callAws<Output>(
  service: keyof typeof PROTOCOLS,
  operation: string,
  input: object,
  { attempts, timeout = ATTEMPT_TIMEOUT_MS, region: requested = config.AWS_REGION, once, credentials }: CallPolicy = {},
): Promise<Output> {
  const { target, version, region = requested, signedAs = service }: Protocol = PROTOCOLS[service];
  const body = JSON.stringify(input);
  return withRetries(
    async () => {
      const endpoint = endpointFor(service, region);
      const request = { service: signedAs, region, host: endpoint.host, target: `${target}.${operation}`, body };
      const contentType = `application/x-amz-json-${version}`;
      const signed = signJson({ ...request, contentType }, credentials ? await credentials() : readCredentials());
      // A list, because Node sends it unchanged. Processing an object of headers takes a seventh of the time of a request.
      const headers = Object.entries(signed).flat();
      const response = await sendHttp(endpoint, { method: 'POST', path: '/', headers, body, timeout });
      const parsed = response.body.length > 0 ? parseJson(response.body.toString('utf8')) : {};
      // A body that is not a JSON object comes from a proxy in between, with any status.
      const isDocument = isObject(parsed);
      if (response.status === 200 && isDocument) return parsed as Output;
      const document = isDocument ? parsed : {};
      const type = String(document.__type ?? `Http${response.status}`);
      const name = type.slice(type.lastIndexOf('#') + 1);
      const message = String(document.message ?? document.Message ?? type);
      // The message of a busy or broken service ("Rate exceeded") does not name the service.
      const isServiceFault = response.status >= 500 || !isDocument || REPEATABLE.test(name);
      const described = isServiceFault ? `${service} ${operation}: ${message}` : message;
      throw new AwsError(name, described, response.status, document);
    },
    timeout,
    { attempts, once },
  );
}
