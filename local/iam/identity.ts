import type { IncomingHttpHeaders } from 'node:http';
import type { Session, Sessions } from '../emulators/sts/sessions.ts';

/** The content of a request's signature: the caller's credentials, the service and the region. */
export interface Signature {
  accessKeyId: string;
  /** The service's name in signatures. With few exceptions, it is also the prefix of the service's actions. */
  service: string;
  region: string;
  sessionToken: string | undefined;
}

/**
 * Returns the content of a request's signature, from its header or its query; undefined for an unsigned request. Signatures of
 * Version 4A (CloudFront's key value stores) contain no region.
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
   * Returns the session that signed a request; undefined for the administrator: tests, seeds and operators' tools sign with the
   * keys of a user.
   * @throws {@link InvalidToken} for a role's credentials without a token, or with one that was not issued here or has expired
   */
  identify(signature: Signature): Session | undefined;
}

/** Thrown for credentials that do not match or have expired. */
export class InvalidToken extends Error {}

/** Maximum number of sessions that are cached after their token was verified. */
const MAX_KNOWN = 1000;

/** Matches the access key ids of roles' sessions. Other keys belong to a user, who is the administrator. */
const ROLE_KEY = /^ASIA/;

/** Creates the identification of callers by session tokens. */
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
