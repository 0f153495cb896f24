import type { IncomingMessage, RequestOptions } from 'node:http';
import { type Credentials, config, endpointOf, readCredentials } from '../config.ts';
import { signJson } from './signature.ts';

/**
 * A lean AWS client for the hot path: SigV4 (signature.ts; aws4 for S3), keep-alive connections, the JSON protocol and S3 objects.
 * Why not the SDK there: docs/decisions/lean-aws-client.md.
 */

/** An AWS service refused, or could not be reached after the retries. `name` is the service's own error type. */
export class AwsError extends Error {
  readonly status: number;
  /** The parsed error document, for those who need more than its type (a cancelled transaction's reasons). */
  readonly detail: Record<string, unknown>;
  constructor(name: string, message: string, status: number, detail: Record<string, unknown> = {}) {
    super(message);
    this.name = name;
    this.status = status;
    this.detail = detail;
  }
}

const PROTOCOLS = {
  dynamodb: { target: 'DynamoDB_20120810', version: '1.0' },
  kms: { target: 'TrentService', version: '1.1' },
  logs: { target: 'Logs_20140328', version: '1.1' },
  sqs: { target: 'AmazonSQS', version: '1.0' },
  // There is one for the whole world.
  route53domains: { target: 'Route53Domains_v20140515', version: '1.1', region: 'us-east-1' },
} as const satisfies Record<string, { target: string; version: string; region?: string }>;

/** How often something is tried, and how long a try may take in milliseconds: table and key calls answer in a few. */
interface Patience {
  attempts?: number;
  timeout?: number;
}
const ATTEMPTS = 4;
const TRY_TIMEOUT = 5_000;

interface Transport {
  request(options: RequestOptions, answered: (answer: IncomingMessage) => void): import('node:http').ClientRequest;
  Agent: typeof import('node:http').Agent;
}
interface Connection {
  transport: Transport;
  agent: import('node:http').Agent;
}
const connections = new Map<string, Promise<Connection>>();

/** node:https takes some time to load: it comes with the first call, and only the protocol in use. */
function connect(protocol: string): Promise<Connection> {
  let found = connections.get(protocol);
  if (!found) {
    found = (async () => {
      const transport: Transport = protocol === 'https:' ? await import('node:https') : await import('node:http');
      const agent = new transport.Agent({ keepAlive: true, maxSockets: 100, scheduling: 'lifo' });
      return { transport, agent };
    })();
    connections.set(protocol, found);
  }
  return found;
}

let credentials: Credentials | undefined;
async function currentCredentials(): Promise<Credentials> {
  if (!credentials || (credentials.expiresAt ?? Number.POSITIVE_INFINITY) < Date.now()) {
    credentials = await readCredentials();
  }
  return credentials;
}

interface Outgoing {
  method: string;
  path: string;
  /** Signed. */
  headers: RequestOptions['headers'];
  body: string | Buffer | undefined;
  timeout: number;
}
interface Answered {
  status: number;
  etag: string;
  body: Buffer;
}

async function exchange(endpoint: URL, { body, ...request }: Outgoing): Promise<Answered> {
  const { transport, agent } = await connect(endpoint.protocol);
  const options: RequestOptions = { ...request, hostname: endpoint.hostname, port: endpoint.port, agent };
  return await new Promise((resolve, reject) => {
    const outgoing = transport.request(options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const { statusCode: status = 0, headers } = answer;
        resolve({ status, etag: headers.etag ?? '', body: Buffer.concat(chunks) });
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new AwsError('TimeoutError', 'no answer in time', 0)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));
const THROTTLED = /Throttl|LimitExceeded|TooManyRequests|SlowDown|ThroughputExceeded/;

/** Repeats what may be repeated: broken connections, 5xx, throttling; full jitter from 25 ms. */
async function retrying<T>(work: () => Promise<T>, attempts = ATTEMPTS): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const refused = error instanceof AwsError && error.status >= 400 && error.status < 500;
      if (attempt >= attempts || (refused && !THROTTLED.test(error.name))) throw error;
      await pause(Math.random() * 25 * 2 ** attempt);
    }
  }
}

/** Calls an operation of a JSON-protocol service, e.g. `callAws('dynamodb', 'GetItem', {…})`. Throws {@link AwsError}. */
export function callAws<Output>(
  service: keyof typeof PROTOCOLS,
  operation: string,
  input: object,
  { attempts, timeout = TRY_TIMEOUT }: Patience = {},
): Promise<Output> {
  const {
    target,
    version,
    region = config.AWS_REGION,
  }: { target: string; version: string; region?: string } = PROTOCOLS[service];
  const body = JSON.stringify(input);
  return retrying(async () => {
    const endpoint = endpointOf(service, region);
    const request = { service, region, host: endpoint.host, target: `${target}.${operation}`, body };
    const contentType = `application/x-amz-json-${version}`;
    const headers = signJson({ ...request, contentType }, await currentCredentials());
    const answer = await exchange(endpoint, { method: 'POST', path: '/', headers, body, timeout });
    const document = answer.body.length > 0 ? JSON.parse(answer.body.toString('utf8')) : {};
    if (answer.status === 200) return document as Output;
    const type = String(document.__type ?? `Http${answer.status}`);
    const message = String(document.message ?? document.Message ?? type);
    throw new AwsError(type.slice(type.lastIndexOf('#') + 1), message, answer.status, document);
  }, attempts);
}

interface ObjectRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  timeout: number;
}

/** Objects have headers and paths of all kinds: the general signer, which takes 10 ms to load, comes with the first. */
async function askS3({ timeout, ...request }: ObjectRequest): Promise<Answered> {
  const { default: aws4 } = await import('aws4');
  const endpoint = endpointOf('s3');
  const signed = aws4.sign(
    { ...request, service: 's3', region: config.AWS_REGION, host: endpoint.host },
    await currentCredentials(),
  );
  const { method, path, body } = request;
  return await exchange(endpoint, { method, path, body, timeout, headers: signed.headers ?? {} });
}

const objectPath = (bucket: string, key: string) => `/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
const s3Error = (status: number, body: Buffer) => {
  const name = /<Code>([^<]+)<\/Code>/.exec(body.toString('utf8'))?.[1] ?? `Http${status}`;
  return new AwsError(name, `S3 answered ${status} ${name}`, status);
};

/** Reads an object whole; undefined when there is none. */
export function getObject(bucket: string, key: string): Promise<Buffer | undefined> {
  return retrying(async () => {
    const path = objectPath(bucket, key);
    const answer = await askS3({ method: 'GET', path, headers: {}, timeout: 30_000 });
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw s3Error(answer.status, answer.body);
    return answer.body;
  });
}

/** Writes an object whole, replacing what was there. */
export function putObject(bucket: string, key: string, body: string | Buffer, contentType: string): Promise<void> {
  return retrying(async () => {
    const headers = { 'content-type': contentType };
    const path = objectPath(bucket, key);
    const answer = await askS3({ method: 'PUT', path, headers, body, timeout: 300_000 });
    if (answer.status !== 200) throw s3Error(answer.status, answer.body);
  });
}

/** Of a large object, what is sent at a time: S3 takes no less than 5 MiB but for the last, and no more than 10,000 parts. */
const PART = 8 * 1024 * 1024;

/** Writes an object of any size, in parts where it is large: a broken connection costs one part. */
export async function putLargeObject(bucket: string, key: string, body: Buffer, contentType: string): Promise<void> {
  if (body.length <= PART) return putObject(bucket, key, body, contentType);
  const ask = (method: string, query: string, headers: Record<string, string>, content: string | Buffer) =>
    retrying(async () => {
      const path = `${objectPath(bucket, key)}?${query}`;
      const answer = await askS3({ method, path, headers, body: content, timeout: 60_000 });
      if (answer.status !== 200) throw s3Error(answer.status, answer.body);
      return answer;
    });
  const begun = await ask('POST', 'uploads=', { 'content-type': contentType }, '');
  const id = /<UploadId>([^<]+)</.exec(begun.body.toString('utf8'))?.[1] ?? '';
  const uploadId = `uploadId=${encodeURIComponent(id)}`;
  const binary = { 'content-type': 'application/octet-stream' };
  const parts: string[] = [];
  for (let start = 0, part = 1; start < body.length; start += PART, part += 1) {
    const sent = await ask('PUT', `partNumber=${part}&${uploadId}`, binary, body.subarray(start, start + PART));
    parts.push(`<Part><PartNumber>${part}</PartNumber><ETag>${sent.etag}</ETag></Part>`);
  }
  const list = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
  const ended = await ask('POST', uploadId, { 'content-type': 'application/xml' }, list);
  // This one answers 200 first, and may still fail.
  if (ended.body.includes('<Error>')) throw s3Error(500, ended.body);
}

/** Deletes an object; one that is not there is no error. */
export function deleteObject(bucket: string, key: string): Promise<void> {
  return retrying(async () => {
    const path = objectPath(bucket, key);
    const answer = await askS3({ method: 'DELETE', path, headers: {}, timeout: 30_000 });
    if (answer.status !== 204 && answer.status !== 404) throw s3Error(answer.status, answer.body);
  });
}
