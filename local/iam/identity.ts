import type { IncomingHttpHeaders } from 'node:http';
import type { Session, Sessions } from '../emulators/sts/sessions.ts';

/** The caller and the service of a signed request, as its signature names them. */
export interface Signature {
  accessKeyId: string;
  /** The service's name in signatures, which is also the prefix of its actions with few exceptions. */
  service: string;
  region: string;
  sessionToken: string | undefined;
}

/**
 * Returns the content of a request's signature, in its header or its query. Undefined for an unsigned one. A signature of
 * Version 4A (CloudFront's key value stores) names no region.
 */
export function signatureOf(headers: IncomingHttpHeaders, query: URLSearchParams): Signature | undefined {
  const { authorization = '' } = headers;
  const credential = /Credential=([^, ]+)/.exec(authorization)?.[1] ?? query.get('X-Amz-Credential');
  if (!credential) return undefined;
  const [accessKeyId = '', , ...scope] = credential.split('/');
  const [region, service] = scope.length > 2 ? scope : ['', scope[0]];
  const token = headers['x-amz-security-token'] ?? query.get('X-Amz-Security-Token');
  return {
    accessKeyId,
    service: service ?? '',
    region: region ?? '',
    sessionToken: token ? String(token) : undefined,
  };
}

/** Identifies the callers of signed requests. */
export interface Callers {
  /**
   * Returns the session that signed a request. Undefined for the administrator: tests, seeds and operators' tools sign
   * with keys of their own, as an administrator's user does.
   * @throws {@link InvalidToken} for the credentials of a role without its token, one that was not issued here,
   * or an expired one
   */
  identify(signature: Signature): Session | undefined;
}

/** Thrown for credentials that do not belong together, or have expired. */
export class InvalidToken extends Error {}

/** Number of sessions that are kept after their token was checked. */
const MAX_KNOWN = 1000;

/** Credentials of a role's session begin so; those of a user, who is the administrator here, do not. */
const ROLE_KEY = /^ASIA/;

/** Opens the identification of callers by the run's session tokens. */
export function openCallers(sessions: Sessions): Callers {
  let known = new Map<string, Session>();
  return {
    identify({ accessKeyId, sessionToken }) {
      if (!ROLE_KEY.test(accessKeyId) && sessionToken === undefined) return undefined;
      const name = `${accessKeyId} ${sessionToken}`;
      let session = known.get(name);
      if (!session) {
        const found = sessionToken === undefined ? undefined : sessions.read(sessionToken);
        if (found?.accessKeyId !== accessKeyId) throw new InvalidToken();
        if (known.size >= MAX_KNOWN) known = new Map();
        session = found.session;
        known.set(name, session);
      }
      if (session.expiresAt < Date.now()) throw new InvalidToken();
      return session;
    },
  };
}
