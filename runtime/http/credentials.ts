import { OPERATOR_GROUP } from '../../contract/accounts/session.ts';
import { ApiError } from '../../contract/errors.ts';
import { ACCOUNT_HEADER } from '../../contract/roles.ts';
import { DASHBOARD_PATH, OPERATOR_PATH } from '../../contract/route.ts';
import { hashKey, isKeyText, type KeyKind } from '../../domain/accounts/credentials.ts';
import { sessionKey } from '../../domain/accounts/sessions.ts';
import type { Session } from '../../domain/deps.ts';
import { clientNetwork } from './edge.ts';
import { profileOf, verifyLogin } from './login.ts';
import type { Event } from './response.ts';

interface BaseCredentials {
  /** The network of the client. */
  network: string;
}

/** A well-formed API key. Only the table knows whether it is valid. */
export interface KeyCredentials extends BaseCredentials {
  kind: KeyKind;
  /** The hash of the key, which identifies its request counters and its caller in this instance's caches. */
  sender: string;
  /** The text from which the ids and encryption keys of the caller's idempotency records are derived. */
  idempotencySubject: string;
  origin: string | undefined;
}

/** A login whose access token has been verified. */
export interface LoginCredentials extends BaseCredentials {
  kind: 'login';
  sender: string;
  idempotencySubject: string;
  session: Session;
  token: string;
  /** The account that the request names; undefined for the login's own account. */
  account: string | undefined;
}

/** Missing or malformed credentials, or a login that cannot be verified. */
export interface InvalidCredentials extends BaseCredentials {
  kind: 'invalid';
  sender?: undefined;
  idempotencySubject?: undefined;
  error: ApiError;
}

/** The credentials of a request, verified as far as possible without reading the table. */
export type RequestCredentials = KeyCredentials | LoginCredentials | InvalidCredentials;

const bearerToken = (authorization = ''): string | undefined => /^Bearer +(\S+)$/i.exec(authorization)?.[1];

/** Returns the API key of a request. The secret key takes precedence over a public key. */
function presentedKey({ headers }: Event): { kind: KeyKind; text: string } | undefined {
  if (headers.authorization !== undefined) {
    const text = bearerToken(headers.authorization);
    return text ? { kind: 'secret', text } : undefined;
  }
  const text = headers['x-public-key'];
  return text === undefined ? undefined : { kind: 'public', text };
}

function keyFrom(event: Event, network: string): KeyCredentials | InvalidCredentials {
  const key = presentedKey(event);
  if (!key) return { kind: 'invalid', network, error: new ApiError('unauthorized') };
  const { kind, text } = key;
  if (!isKeyText(text, kind)) return { kind: 'invalid', network, error: unknownKey() };
  return { kind, network, sender: hashKey(text), idempotencySubject: text, origin: event.headers.origin };
}

/** Creates the error for a key that does not exist. */
export const unknownKey = () => new ApiError('unauthorized', 'This API key is unknown.');

async function loginFrom(event: Event, network: string): Promise<LoginCredentials | InvalidCredentials> {
  const token = bearerToken(event.headers.authorization);
  let verified: Awaited<ReturnType<typeof verifyLogin>>;
  try {
    verified = token ? await verifyLogin(token) : undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { kind: 'invalid', network, error };
  }
  if (!token || !verified) {
    const error = new ApiError('unauthorized', 'A valid login is needed: Authorization: Bearer <access token>.');
    return { kind: 'invalid', network, error };
  }
  const { subject, sessionId, expiresAtEpoch, signedInAtEpoch, groups } = verified;
  const account = event.headers[ACCOUNT_HEADER] || undefined;
  // Speculative reads and idempotency records of one account must not be returned in another account of the same login.
  const sender = account === undefined ? `login ${subject}` : `login ${subject} ${account}`;
  const isOperator = groups.includes(OPERATOR_GROUP);
  const session = {
    subject,
    key: sessionKey(sessionId),
    expiresAtEpoch,
    ...(isOperator ? { isOperator } : {}),
    ...(signedInAtEpoch === undefined ? {} : { signedInAtEpoch }),
    readProfile: () => profileOf(token),
  };
  return { kind: 'login', network, sender, idempotencySubject: sender, session, token, account };
}

/** Returns true for paths that are called with a login; all other paths are called with API keys. */
const isLoginPath = (path: string) => [DASHBOARD_PATH, OPERATOR_PATH].some((base) => path.startsWith(`${base}/`));

/**
 * Reads the credentials of a request: a login on the paths for logins, otherwise an API key. If a login cannot be verified at the
 * moment, the credentials are invalid with 503.
 */
export async function credentialsFrom(event: Event): Promise<RequestCredentials> {
  const network = clientNetwork(event);
  return isLoginPath(event.rawPath) ? await loginFrom(event, network) : keyFrom(event, network);
}
