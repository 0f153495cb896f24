import type { FunctionSpec } from '../lambda/pool.ts';
import type { Template } from '../template/template.ts';

/** A route of the HTTP API and its function. */
export interface HttpRoute {
  /** `GET /v1/apps/{id}`, or `$default`. */
  key: string;
  functionArn: string;
  timeoutMs: number;
  /** Headers that the edge adds. */
  headers?: Record<string, string>;
}

export interface RouteMatch {
  route: HttpRoute;
  pathParameters: Record<string, string>;
}

/** Returns the headers that the edge adds to requests of a function. */
export type EdgeHeaders = (spec: FunctionSpec | undefined) => Record<string, string>;

/** Creates a function that returns the edge's headers: the origin secret, if a function expects one. */
export const edgeHeadersWith =
  (currentValue: (secretName: string) => string | undefined): EdgeHeaders =>
  (spec) => {
    const secret = currentValue(spec?.environment.ORIGIN_SECRET_NAME ?? '');
    return secret ? { 'x-origin-secret': secret } : {};
  };

/** Returns the template's routes with the functions of their integrations. */
export function routesOf(
  template: Template,
  functions: readonly FunctionSpec[],
  edgeHeaders: EdgeHeaders,
): HttpRoute[] {
  const integrations = new Map(template.resources('AWS::ApiGatewayV2::Integration').map((each) => [each.ref, each]));
  return template.resources('AWS::ApiGatewayV2::Route').map(({ properties }) => {
    const integration = integrations.get(String(properties.Target ?? '').replace('integrations/', ''));
    const uri = String(integration?.properties.IntegrationUri ?? '');
    // Either the function's ARN, or API Gateway's older path that contains it.
    const functionArn = /arn:aws:lambda:[^:]+:[^:]+:function:[^/]+/.exec(uri)?.[0];
    const key = String(properties.RouteKey);
    if (!functionArn) throw new Error(`The route ${key} has no function`);
    return {
      key,
      functionArn,
      timeoutMs: Number(integration?.properties.TimeoutInMillis ?? 30_000),
      headers: edgeHeaders(functions.find(({ arn }) => `${functionArn}:`.startsWith(`${arn}:`))),
    };
  });
}

interface Pattern {
  route: HttpRoute;
  method: string;
  segments: string[];
  /** True if the path ends in `{name+}`, which matches all remaining segments. */
  greedy: boolean;
}

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    // The function refuses segments that cannot be decoded.
    return segment;
  }
};

const parameter = (segment: string): string | undefined => /^\{(\w+)\+?\}$/.exec(segment)?.[1];

function parametersOf({ segments, greedy }: Pattern, path: string[]): Record<string, string> | undefined {
  if (greedy ? path.length < segments.length : path.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const name = parameter(segment);
    const rest = greedy && index === segments.length - 1 ? path.slice(index).join('/') : path[index];
    if (rest === undefined) return undefined;
    if (name === undefined) {
      if (rest !== segment) return undefined;
    } else if (rest === '') return undefined;
    else parameters[name] = decode(rest);
  }
  return parameters;
}

/**
 * Orders patterns as API Gateway does: complete paths before greedy ones, the method before ANY, literal segments
 * before parameters.
 */
function rank(a: Pattern, b: Pattern): number {
  const weight = ({ greedy, method, segments }: Pattern): number[] => [
    greedy ? 1 : 0,
    greedy ? -segments.length : 0,
    segments.filter((segment) => parameter(segment) !== undefined).length,
    method === 'ANY' ? 1 : 0,
  ];
  const other = weight(b);
  for (const [index, value] of weight(a).entries()) {
    const difference = value - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Creates a router that finds a request's route by method and raw path (without the query). */
export function createRouter(routes: readonly HttpRoute[]): (method: string, path: string) => RouteMatch | undefined {
  const fallback = routes.find(({ key }) => key === '$default');
  const patterns = routes
    .filter((route) => route !== fallback)
    .map((route): Pattern => {
      const [method = 'ANY', path = '/'] = route.key.split(' ');
      const segments = path.split('/').slice(1);
      return { route, method, segments, greedy: segments.at(-1)?.endsWith('+}') === true };
    })
    .sort(rank);
  return (method, path) => {
    const segments = path.split('/').slice(1);
    for (const pattern of patterns) {
      if (pattern.method !== 'ANY' && pattern.method !== method) continue;
      const pathParameters = parametersOf(pattern, segments);
      if (pathParameters) return { route: pattern.route, pathParameters };
    }
    return fallback && { route: fallback, pathParameters: {} };
  };
}
