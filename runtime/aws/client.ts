import type { IncomingMessage, RequestOptions } from 'node:http';
import { isObject, parseJson } from '../../contract/json.ts';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { createConnectionPool } from '../../providers/http/connections.ts';
import { type Credentials, config, endpointFor, readCredentials } from '../config.ts';
import { signJson } from './signature.ts';

/**
 * A lean AWS client for the request path: SigV4 (signature.ts), kept connections and the JSON protocol. Other protocols
 * (rest.ts) and objects (objects.ts) share its retries. docs/decisions/0006-lean-aws-client.md explains why the SDK is not used there.
 */

/**
 * An error response of an AWS service, or a service that is unreachable after all retries. `name` is the service's
 * error type, or `Http` and the status of an answer without one.
 */
export class AwsError extends Error {
  readonly status: number;
  /** The parsed error document, for details such as the reasons of a cancelled transaction. */
  readonly detail: Record<string, unknown>;
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
  /** The service's name in signatures, where it is not that of its host. */
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

/** Number of attempts, the timeout of each in milliseconds (table and key calls usually take a few), and another region. */
interface CallPolicy {
  region?: string;
  attempts?: number | undefined;
  timeout?: number;
  /** True for a change that must not be made twice: it is repeated only where the service says that it did not make it. */
  once?: boolean | undefined;
  /** Those of another role; the function's own unless given. */
  credentials?: (() => Promise<Credentials>) | undefined;
}
const MAX_ATTEMPTS = 4;
const TRY_TIMEOUT_MS = TIMEOUTS_S.aws.attempt * 1000;
const CALL_TIMEOUT_MS = TIMEOUTS_S.aws.call * 1000;

/** A call reuses a connection of an earlier one. */
const connectionFor = createConnectionPool(100);

interface Outgoing {
  method: string;
  path: string;
  /** The signed headers. */
  headers: RequestOptions['headers'];
  body?: string | Buffer;
  timeout: number;
}
export interface Answered {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

export async function exchange(endpoint: URL, { body, ...request }: Outgoing): Promise<Answered> {
  const { request: open, agent } = await connectionFor(endpoint.protocol);
  const options = { ...request, hostname: endpoint.hostname, port: endpoint.port, agent };
  return await new Promise((resolve, reject) => {
    // Neither a time-out nor a broken connection says which service it was, which is the first that an operator must know.
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
 * Errors below 500 of requests that a service did not carry out and asks to repeat: its rate is used up, it is busy with another change of
 * the same resource, or it waited for the rest of the request in vain.
 */
const REPEATABLE =
  /Throttl|LimitExceeded|TooManyRequests|SlowDown|ThroughputExceeded|OperationAborted|ConditionalRequestConflict|RequestTimeout/;

/**
 * Retries broken connections, 5xx responses and what a service asks to repeat, with full jitter from 25 ms, while another attempt of
 * `timeout` milliseconds fits into the time of a call: the function must outlast it, so that it can answer.
 */
export async function withRetries<T>(
  work: () => Promise<T>,
  timeout: number,
  { attempts = MAX_ATTEMPTS, once = false }: Pick<CallPolicy, 'attempts' | 'once'> = {},
): Promise<T> {
  const lastStart = performance.now() + CALL_TIMEOUT_MS - timeout;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const refused = error instanceof AwsError && error.status >= 400 && error.status < 500;
      const repeatable = error instanceof AwsError && error.status < 500 && REPEATABLE.test(error.name);
      if (attempt >= attempts || ((refused || once) && !repeatable)) throw error;
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
  { attempts, timeout = TRY_TIMEOUT_MS, region: chosen = config.AWS_REGION, once, credentials: other }: CallPolicy = {},
): Promise<Output> {
  const { target, version, region = chosen, signedAs = service }: Protocol = PROTOCOLS[service];
  const body = JSON.stringify(input);
  return withRetries(
    async () => {
      const endpoint = endpointFor(service, region);
      const request = { service: signedAs, region, host: endpoint.host, target: `${target}.${operation}`, body };
      const contentType = `application/x-amz-json-${version}`;
      const signed = signJson({ ...request, contentType }, other ? await other() : readCredentials());
      // As a list, which Node sends as it is: it takes headers of an object apart again, a seventh of the time of a request.
      const headers = Object.entries(signed).flat();
      const response = await exchange(endpoint, { method: 'POST', path: '/', headers, body, timeout });
      const answer = response.body.length > 0 ? parseJson(response.body.toString('utf8')) : {};
      // What is no document is the page of a proxy between, with any status.
      const isDocument = isObject(answer);
      if (response.status === 200 && isDocument) return answer as Output;
      const document = isDocument ? answer : {};
      const type = String(document.__type ?? `Http${response.status}`);
      const name = type.slice(type.lastIndexOf('#') + 1);
      const words = String(document.message ?? document.Message ?? type);
      // What AWS says of a busy or broken service ("Rate exceeded") names no service.
      const isTheirs = response.status >= 500 || !isDocument || REPEATABLE.test(name);
      throw new AwsError(name, isTheirs ? `${service} ${operation}: ${words}` : words, response.status, document);
    },
    timeout,
    { attempts, once },
  );
}
