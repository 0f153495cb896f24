import { Agent, type IncomingMessage, request } from 'node:http';
import type { SessionCredentials } from '../emulators/sts/sessions.ts';
import type { JsonObject } from '../template/intrinsics.ts';

/**
 * The local run's client of its engines. It speaks AWS's JSON protocol without valid signatures, which the engines do not check. It
 * differs from `runtime/aws/client.ts`, whose endpoints and credentials belong to a function.
 */
const agent = new Agent({ keepAlive: true, maxSockets: 50 });

const SERVICES = {
  dynamodb: 'DynamoDB_20120810',
  streams: 'DynamoDBStreams_20120810',
  sqs: 'AmazonSQS',
  states: 'AWSStepFunctions',
} as const;

/** An error response of an engine. `name` is the service's error type without its namespace. */
export class WireError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

export interface HttpResult {
  status: number;
  body: Buffer;
}

/** Sends one HTTP request over a kept-alive connection. */
export function sendRequest(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: string | Buffer,
  signal?: AbortSignal,
): Promise<HttpResult> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method, agent, headers, ...(signal ? { signal } : {}) },
      (incoming: IncomingMessage) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks) }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Services with a different name in signatures. */
const SIGNING_NAMES: Partial<Record<keyof typeof SERVICES, string>> = { streams: 'dynamodb' };

/** Returns the headers of a signature, from which engines read the caller and the region. */
const signature = (service: keyof typeof SERVICES, { region = 'local', credentials }: CallOptions) => ({
  authorization: `AWS4-HMAC-SHA256 Credential=${credentials?.accessKeyId ?? 'local'}/20200101/${region}/${SIGNING_NAMES[service] ?? service}/aws4_request, SignedHeaders=host, Signature=0000`,
  ...(credentials ? { 'x-amz-security-token': credentials.sessionToken } : {}),
});

export interface CallOptions {
  /** The region of a created resource's ARN. */
  region?: string;
  signal?: AbortSignal;
  /** Credentials of the role that calls. Default: the administrator's. */
  credentials?: Pick<SessionCredentials, 'accessKeyId' | 'sessionToken'> | undefined;
}

/** Calls one operation of a service with the JSON protocol. Throws {@link WireError} for an error response. */
export async function call(
  url: string,
  service: keyof typeof SERVICES,
  operation: string,
  input: object,
  options: CallOptions = {},
): Promise<JsonObject> {
  const headers = {
    ...signature(service, options),
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `${SERVICES[service]}.${operation}`,
  };
  const { status, body } = await sendRequest(url, 'POST', headers, JSON.stringify(input), options.signal);
  const text = body.toString('utf8');
  const output: JsonObject = text === '' ? {} : JSON.parse(text);
  if (status >= 200 && status < 300) return output;
  const type = String(output.__type ?? `Http${status}`);
  throw new WireError(type.slice(type.lastIndexOf('#') + 1), String(output.message ?? output.Message ?? type));
}

/**
 * Repeats a call until it succeeds, because a starting engine refuses connections.
 * @param assertAlive throws if the engine has ended
 */
export async function waitUntilUp<T>(attempt: () => Promise<T>, assertAlive: () => void): Promise<T> {
  for (;;) {
    assertAlive();
    try {
      return await attempt();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
