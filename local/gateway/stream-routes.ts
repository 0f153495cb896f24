import type { ServerResponse } from 'node:http';
import type { Lambda } from '../lambda/lambda.ts';
import type { FromReader } from '../lambda/messages.ts';
import type { FunctionSpec } from '../lambda/pool.ts';
import { isObject, type Json } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';
import { type HttpRequest, toHttpEvent } from './http-event.ts';
import { INTERNAL_SERVER_ERROR } from './http-response.ts';
import type { EdgeHeaders } from './routes.ts';

/** A path that the edge sends to a function URL instead of the HTTP API. */
export interface StreamRoute {
  path: string;
  functionArn: string;
  /** Headers that the edge adds. */
  headers: Record<string, string>;
}

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const text = (value: Json | undefined, key: string): string => (isObject(value) ? String(value[key] ?? '') : '');

/** Returns the distributions' paths whose origins are URLs of the platform's functions. */
export function streamRoutesOf(
  template: Template,
  functions: readonly FunctionSpec[],
  edgeHeaders: EdgeHeaders,
): StreamRoute[] {
  const urls = template.resources('AWS::Lambda::Url').map(({ name, properties }) => ({
    host: `${name}.lambda-url.`,
    functionArn: String(properties.TargetFunctionArn),
    qualifier: properties.Qualifier === undefined ? '' : `:${String(properties.Qualifier)}`,
  }));
  return template.resources('AWS::CloudFront::Distribution').flatMap(({ properties }) => {
    const config = properties.DistributionConfig;
    if (!isObject(config)) return [];
    return list(config.CacheBehaviors).flatMap((behavior) => {
      const origin = list(config.Origins).find((each) => text(each, 'Id') === text(behavior, 'TargetOriginId'));
      const url = urls.find(({ host }) => text(origin, 'DomainName').startsWith(host));
      const spec = functions.find(({ arn }) => arn === url?.functionArn);
      if (!url || !spec) return [];
      const functionArn = url.functionArn + url.qualifier;
      return [{ path: text(behavior, 'PathPattern'), functionArn, headers: edgeHeaders(spec) }];
    });
  });
}

/** Received bytes after which an acknowledgement is sent: a fraction of MAX_UNREAD_BYTES (local/lambda/response-stream.ts). */
const ACKNOWLEDGED_BYTES = 64 * 1024;

/** The eight NUL bytes between the head and the body of a streamed response. */
const SEPARATOR = Buffer.alloc(8);

/** Invokes a function with a streaming URL and forwards its response as it arrives. */
export async function stream(
  lambda: Pick<Lambda, 'invokeText'>,
  route: StreamRoute,
  request: HttpRequest,
  response: ServerResponse,
  decorate: (headers: Record<string, string>) => void,
): Promise<void> {
  const event = toHttpEvent(request, {
    route: { ...route, key: '$default', timeoutMs: 0 },
    pathParameters: {},
  });
  let head = Buffer.alloc(0);
  let report: (message: FromReader) => void = () => {};
  response.on('close', () => {
    if (!response.writableFinished) report({ type: 'disconnected' });
  });
  // Bytes that the client has not received are not acknowledged, so that the function waits for the client.
  let unacknowledged = 0;
  const acknowledge = () => {
    report({ type: 'acknowledged', bytes: unacknowledged });
    unacknowledged = 0;
  };
  response.on('drain', acknowledge);
  const body = (bytes: Uint8Array) => {
    unacknowledged += bytes.length;
    // Does not acknowledge each chunk: waking the function's thread costs more than forwarding a chunk.
    if (response.write(bytes) && unacknowledged >= ACKNOWLEDGED_BYTES) acknowledge();
  };
  try {
    await lambda.invokeText(route.functionArn, JSON.stringify(event), {
      begin: (sendReport) => {
        report = sendReport;
        if (response.destroyed) report({ type: 'disconnected' });
      },
      chunk: (bytes) => {
        if (response.destroyed) return;
        if (response.headersSent) {
          body(bytes);
          return;
        }
        head = Buffer.concat([head, bytes]);
        const end = head.indexOf(SEPARATOR);
        if (end < 0) return;
        const { statusCode, headers }: { statusCode: number; headers: Record<string, string> } = JSON.parse(
          head.subarray(0, end).toString('utf8'),
        );
        decorate(headers);
        response.writeHead(statusCode, headers);
        response.flushHeaders();
        report({ type: 'acknowledged', bytes: end + SEPARATOR.length });
        const rest = head.subarray(end + SEPARATOR.length);
        if (rest.length > 0) body(rest);
      },
      end: () => response.end(),
    });
    response.end();
  } catch {
    // The pool has logged the error.
    if (response.headersSent) response.destroy();
    else {
      const { status, headers, body: errorBody } = INTERNAL_SERVER_ERROR;
      response.writeHead(status, headers).end(errorBody);
    }
  }
}
