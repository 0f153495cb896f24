import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Lambda } from '../lambda/lambda.ts';
import type { FromReader } from '../lambda/messages.ts';
import type { FunctionSpec } from '../lambda/pool.ts';
import { isObject, type Json } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';
import { type HttpRequest, httpEvent } from './http-event.ts';
import { INTERNAL_SERVER_ERROR } from './http-response.ts';

/** A path that the edge sends to a function URL, past the HTTP API. */
export interface StreamRoute {
  path: string;
  functionArn: string;
  /** What the edge shows of itself. */
  headers: Record<string, string>;
}

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const text = (value: Json | undefined, key: string): string => (isObject(value) ? String(value[key] ?? '') : '');

/** The distributions' paths whose origin is the URL of one of our functions. */
export function streamRoutesOf(template: Template, functions: readonly FunctionSpec[]): StreamRoute[] {
  const urls = template.resources('AWS::Lambda::Url').map(({ name, properties }) => ({
    host: `${name}.lambda-url.`,
    functionArn: String(properties.TargetFunctionArn),
  }));
  return template.resources('AWS::CloudFront::Distribution').flatMap(({ properties }) => {
    const config = properties.DistributionConfig;
    if (!isObject(config)) return [];
    return list(config.CacheBehaviors).flatMap((behaviour) => {
      const origin = list(config.Origins).find((each) => text(each, 'Id') === text(behaviour, 'TargetOriginId'));
      const url = urls.find(({ host }) => text(origin, 'DomainName').startsWith(host));
      const spec = functions.find(({ arn }) => arn === url?.functionArn);
      if (!url || !spec) return [];
      const { ORIGIN_SECRET: secret } = spec.environment;
      const headers: Record<string, string> = secret ? { 'x-origin-secret': secret } : {};
      return [{ path: text(behaviour, 'PathPattern'), functionArn: url.functionArn, headers }];
    });
  });
}

/** The eight NUL bytes between the head of a streamed answer and its body. */
const SEPARATOR = Buffer.alloc(8);

/** Invokes a function behind a URL that streams, and passes its answer on as it comes. */
export async function stream(
  lambda: Pick<Lambda, 'invokeText'>,
  route: StreamRoute,
  request: HttpRequest,
  response: ServerResponse,
  decorate: (headers: Record<string, string>) => void,
): Promise<void> {
  const event = httpEvent(request, {
    route: { key: '$default', functionArn: route.functionArn, timeoutMs: 0 },
    pathParameters: {},
  });
  // What the edge adds takes the place of what was sent under the same name.
  const shown = { ...route.headers, 'x-viewer-address': request.sourceIp };
  Object.assign(event, { headers: { ...(isObject(event.headers) ? event.headers : {}), ...shown } });
  Object.assign(event.requestContext ?? {}, { requestId: randomUUID() });
  let head = Buffer.alloc(0);
  let tell: (message: FromReader) => void = () => {};
  response.on('close', () => {
    if (!response.writableFinished) tell({ type: 'left' });
  });
  // What the client has not taken yet is not acknowledged: so the function waits for it.
  let untaken = 0;
  const taken = () => {
    tell({ type: 'took', bytes: untaken });
    untaken = 0;
  };
  response.on('drain', taken);
  const body = (bytes: Uint8Array) => {
    untaken += bytes.length;
    if (response.write(bytes)) taken();
  };
  try {
    await lambda.invokeText(route.functionArn, JSON.stringify(event), {
      begin: (say) => {
        tell = say;
        if (response.destroyed) say({ type: 'left' });
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
        tell({ type: 'took', bytes: end + SEPARATOR.length });
        const rest = head.subarray(end + SEPARATOR.length);
        if (rest.length > 0) body(rest);
      },
      end: () => response.end(),
    });
    response.end();
  } catch {
    // The pool has logged it.
    if (response.headersSent) response.destroy();
    else {
      const { status, headers, body: said } = INTERNAL_SERVER_ERROR;
      response.writeHead(status, headers).end(said);
    }
  }
}
