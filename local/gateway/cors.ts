import { isObject, type Json, type JsonObject } from '../template/intrinsics.ts';

/** The CORS behavior of the template's CorsConfiguration, which the gateway implements. */
export interface Cors {
  /** Returns the headers of the response to a preflight request; undefined for other requests. */
  preflight(method: string, headers: NodeJS.Dict<string | string[]>): Record<string, string> | undefined;
  /** Adds the CORS headers to a response, and removes those that the function set. */
  decorate(origin: string | undefined, headers: Record<string, string>): void;
}

const strings = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);

const matches = (allowed: string, origin: string): boolean =>
  allowed === '*' || allowed === origin || (allowed.endsWith('://*') && origin.startsWith(allowed.slice(0, -1)));

/** Creates the behavior of a CorsConfiguration; undefined if the API has none and functions set their own headers. */
export function createCors(configuration: Json | undefined): Cors | undefined {
  if (!isObject(configuration)) return undefined;
  const settings: JsonObject = configuration;
  const origins = strings(settings.AllowOrigins);
  const originHeaders = (origin: string): Record<string, string> | undefined => {
    const allowed = origins.find((pattern) => matches(pattern, origin));
    if (allowed === undefined) return undefined;
    return {
      'access-control-allow-origin': allowed === '*' ? '*' : origin,
      ...(allowed === '*' ? {} : { vary: 'Origin' }),
      ...(settings.AllowCredentials === true ? { 'access-control-allow-credentials': 'true' } : {}),
    };
  };
  const joined = (key: string, header: string): Record<string, string> => {
    const values = strings(settings[key]);
    return values.length > 0 ? { [header]: values.join(',') } : {};
  };
  return {
    preflight(method, headers) {
      const { origin } = headers;
      if (method !== 'OPTIONS' || typeof origin !== 'string' || !headers['access-control-request-method']) {
        return undefined;
      }
      const allowed = originHeaders(origin);
      if (!allowed) return {};
      return {
        ...allowed,
        ...joined('AllowMethods', 'access-control-allow-methods'),
        ...joined('AllowHeaders', 'access-control-allow-headers'),
        ...(settings.MaxAge === undefined ? {} : { 'access-control-max-age': String(settings.MaxAge) }),
      };
    },
    decorate(origin, headers) {
      for (const name of Object.keys(headers)) if (name.startsWith('access-control-')) delete headers[name];
      const allowed = origin === undefined ? undefined : originHeaders(origin);
      if (allowed) Object.assign(headers, allowed, joined('ExposeHeaders', 'access-control-expose-headers'));
    },
  };
}
