import { Agent, type IncomingMessage, request } from 'node:http';
import type { JsonObject } from '../template/intrinsics.ts';

/**
 * Client of the local run for its engines: AWS's JSON protocol without valid signatures, which the engines do not
 * check. It differs from `runtime/aws/client.ts`, whose endpoints and credentials belong to a function.
 */
const agent = new Agent({ keepAlive: true, maxSockets: 50 });

const SERVICES = {
  dynamodb: 'DynamoDB_20120810',
  streams: 'DynamoDBStreams_20120810',
  sqs: 'AmazonSQS',
  codebuild: 'CodeBuild_20161006',
  states: 'AWSStepFunctions',
} as const;

/** An error response of an engine. `name` is the service's error type without its namespace. */
export class WireError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

export interface Answer {
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
): Promise<Answer> {
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

/** Returns an authorization header, from which engines read only the region. */
const authorization = (region: string): string =>
  `AWS4-HMAC-SHA256 Credential=local/20200101/${region}/local/aws4_request, SignedHeaders=host, Signature=0000`;

export interface CallOptions {
  /** The region of a created resource's ARN. */
  region?: string;
  signal?: AbortSignal;
}

/** Calls one operation of a service with the JSON protocol. Throws {@link WireError} for an error response. */
export async function call(
  url: string,
  service: keyof typeof SERVICES,
  operation: string,
  input: object,
  { region = 'local', signal }: CallOptions = {},
): Promise<JsonObject> {
  const headers = {
    authorization: authorization(region),
    'content-type': service === 'codebuild' ? 'application/x-amz-json-1.1' : 'application/x-amz-json-1.0',
    'x-amz-target': `${SERVICES[service]}.${operation}`,
  };
  const { status, body } = await sendRequest(url, 'POST', headers, JSON.stringify(input), signal);
  const text = body.toString('utf8');
  const output: JsonObject = text === '' ? {} : JSON.parse(text);
  if (status >= 200 && status < 300) return output;
  const type = String(output.__type ?? `Http${status}`);
  throw new WireError(type.slice(type.lastIndexOf('#') + 1), String(output.message ?? output.Message ?? type));
}

/**
 * Repeats a call until it succeeds, because a starting engine refuses connections. `alive` throws when the engine has
 * ended.
 */
export async function waitUntilUp<T>(attempt: () => Promise<T>, alive: () => void): Promise<T> {
  for (;;) {
    alive();
    try {
      return await attempt();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
