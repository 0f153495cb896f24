import { Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import aws4 from 'aws4';
import { XMLParser } from 'fast-xml-parser';
import { endpointFor } from '../../runtime/config.ts';
import { callerCredentials } from '../operate/credentials.ts';

/**
 * Signed calls to services whose SDK package is not installed. The SDK calls Lambda, CodeBuild, Route 53 and DSQL. It also finds the
 * caller's credentials (environment, profile, single sign-on) for the calls in this file.
 */

/** An error response of a service. `name` is the service's error code. */
export class AwsError extends Error {
  readonly status: number;
  /** The IAM action, `service:Operation`. */
  readonly operation: string;
  constructor(name: string, message: string, status: number, operation: string) {
    super(message);
    this.name = name;
    this.status = status;
    this.operation = operation;
  }
}

interface Service {
  /** First label of the host name. Default: the key. */
  host?: string;
  /** Region of a global service, and its host if the host has no region. */
  global?: { region: string; host?: string };
  /** JSON protocol: prefix of the target, and version. */
  json?: [prefix: string, version: string];
  /** Query protocol: version of the API. */
  query?: string;
}

/** The services, by their name in signatures. */
const SERVICES = {
  account: { global: { region: 'us-east-1' } },
  cloudcontrolapi: { json: ['CloudApiService', '1.0'] },
  cloudformation: { query: '2010-05-15' },
  'cognito-idp': { json: ['AWSCognitoIdentityProviderService', '1.1'] },
  iam: { query: '2010-05-08', global: { region: 'us-east-1', host: 'iam.amazonaws.com' } },
  logs: { json: ['Logs_20140328', '1.1'] },
  s3: {},
  secretsmanager: { json: ['secretsmanager', '1.1'] },
  servicequotas: { json: ['ServiceQuotasV20190624', '1.1'] },
  ses: { host: 'email' },
  ssm: { json: ['AmazonSSM', '1.1'] },
  sts: { query: '2011-06-15' },
} as const satisfies Record<string, Service>;

export type ServiceName = keyof typeof SERVICES;

const AWS_DOMAIN = '.amazonaws.com';
const TIMEOUT_MS = 15_000;
const ATTEMPTS = 6;
const RETRIED = /Throttl|TooManyRequests|RequestLimitExceeded|SlowDown|ServiceUnavailable|InternalFailure/;

interface Request {
  operation: string;
  method?: 'GET' | 'HEAD' | 'POST';
  path?: string;
  headers?: Record<string, string>;
  body?: string;
}

const xml = new XMLParser({
  isArray: (name) => name === 'member',
  parseTagValue: false,
  htmlEntities: true,
  ignoreDeclaration: true,
});

/** Parses a JSON or XML document. Removes the root and the `…Result` element of XML. */
function parseDocument(text: string, operation: string): unknown {
  if (!text.startsWith('<')) return text === '' ? {} : JSON.parse(text);
  const document: Record<string, unknown> = xml.parse(text);
  const inner = (value: unknown, name: string): unknown =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, name)
      ? Object.entries(value).find(([key]) => key === name)?.[1]
      : value;
  return inner(inner(document, `${operation}Response`), `${operation}Result`);
}

/** Returns the code and message of an error response of any protocol. */
function errorOf(text: string, headers: Headers, status: number, operation: string): AwsError {
  const tag = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
  const document: Record<string, unknown> = text.startsWith('{') ? JSON.parse(text) : {};
  const code = tag('Code') ?? headers.get('x-amzn-errortype') ?? document.__type ?? `Http${status}`;
  const name = String(code).split(':')[0]?.split('#').at(-1) ?? '';
  return new AwsError(name, String(tag('Message') ?? document.message ?? document.Message ?? name), status, operation);
}

/** Retries throttled and failed calls, first after one second and then after twice the time of the previous retry. */
async function withRetries<T>(work: () => Promise<T>, firstPauseMs: number): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const refused = error instanceof AwsError && error.status < 500 && !RETRIED.test(error.name);
      if (attempt >= ATTEMPTS || refused) throw error;
      await sleep(firstPauseMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
    }
  }
}

export interface ClientOptions {
  region: string;
  /** Name servers for queries of delegations, `host:port`. Default: the machine's. */
  dnsServers?: string[];
  firstPauseMs?: number;
}

/** Opens the clients with the caller's credentials. */
export function openClients({ region: home, dnsServers, firstPauseMs = 500 }: ClientOptions) {
  const credentials = callerCredentials(home);
  const resolver = new Resolver();
  if (dnsServers) resolver.setServers(dnsServers);

  async function send(
    name: ServiceName,
    region: string,
    { operation, path = '/', ...request }: Request,
  ): Promise<unknown> {
    const { global, host: label = name }: Service = SERVICES[name];
    const signed = global?.region ?? region;
    const regional = endpointFor(label, signed);
    // Overridden endpoints are not in AWS's domain.
    const endpoint = global?.host && regional.host.endsWith(AWS_DOMAIN) ? new URL(`https://${global.host}`) : regional;
    return await withRetries(async () => {
      const { headers = {} } = aws4.sign(
        {
          service: name,
          region: signed,
          host: endpoint.host,
          method: 'POST',
          path,
          ...request,
          headers: { ...request.headers },
        },
        await credentials(),
      );
      const sent = Object.entries(headers).filter(([each]) => !/^(host|content-length)$/i.test(each));
      const { method = 'POST', body } = request;
      const response = await fetch(new URL(path, endpoint), {
        method,
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: sent.map(([each, value]): [string, string] => [each, String(value)]),
      });
      const text = await response.text();
      if (!response.ok) throw errorOf(text, response.headers, response.status, `${name}:${operation}`);
      return parseDocument(text, operation);
    }, firstPauseMs);
  }

  return {
    /** Calls an operation of a service with the JSON protocol. */
    json: (name: ServiceName, region: string, operation: string, input: object) => {
      const { json: [prefix, version] = [name, '1.1'] }: Service = SERVICES[name];
      const headers = { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': `${prefix}.${operation}` };
      return send(name, region, { operation, headers, body: JSON.stringify(input) });
    },
    /** Calls an operation of a service with the query protocol. */
    query: (name: ServiceName, region: string, operation: string, input: Record<string, string> = {}) => {
      const { query: version = '' }: Service = SERVICES[name];
      const body = new URLSearchParams({ Action: operation, Version: version, ...input }).toString();
      const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
      return send(name, region, { operation, headers, body });
    },
    /** Calls an operation of a service with a REST protocol. */
    rest: (name: ServiceName, region: string, request: Request) => send(name, region, request),
    /** Returns the name servers to which a domain is delegated, in lower case; none if the name does not exist. */
    nameServers: async (domain: string): Promise<string[]> => {
      try {
        return (await resolver.resolveNs(domain)).map((name) => name.toLowerCase().replace(/\.$/, ''));
      } catch (error) {
        if (error instanceof Error && 'code' in error && ['ENOTFOUND', 'ENODATA'].includes(String(error.code)))
          return [];
        throw error;
      }
    },
    /** Pauses between two polls of a resource that is being created. */
    pause: () => sleep(firstPauseMs * 4),
  };
}

export type Clients = ReturnType<typeof openClients>;
