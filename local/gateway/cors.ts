import { isObject, type Json, type JsonObject } from '../template/intrinsics.ts';

/** What a browser on another origin may do: the template's CorsConfiguration, answered by the gateway itself. */
export interface Cors {
  /** Headers of the answer to a preflight, or undefined when the request is none. */
  preflight(method: string, headers: NodeJS.Dict<string | string[]>): Record<string, string> | undefined;
  /** Puts the headers on an answer; what the function says about CORS does not count. */
  decorate(origin: string | undefined, headers: Record<string, string>): void;
}

const strings = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);

const matches = (allowed: string, origin: string): boolean =>
  allowed === '*' || allowed === origin || (allowed.endsWith('://*') && origin.startsWith(allowed.slice(0, -1)));

/** Makes the behaviour of a CorsConfiguration; undefined where the API has none, and then functions speak for themselves. */
export function makeCors(configuration: Json | undefined): Cors | undefined {
  if (!isObject(configuration)) return undefined;
  const settings: JsonObject = configuration;
  const origins = strings(settings.AllowOrigins);
  const fixed = (origin: string): Record<string, string> | undefined => {
    const allowed = origins.find((each) => matches(each, origin));
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
      const allowed = fixed(origin);
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
      const allowed = origin === undefined ? undefined : fixed(origin);
      if (allowed) Object.assign(headers, allowed, joined('ExposeHeaders', 'access-control-expose-headers'));
    },
  };
}
