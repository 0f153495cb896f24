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

interface Sent {
  /** Network of the client. */
  network: string;
}

/** A well-formed API key; only the table knows whether it is valid. */
export interface KeyCredentials extends Sent {
  kind: KeyKind;
  /** Hash of the key: identifies the counters of its requests and its caller in this instance's caches. */
  sender: string;
  /** Text that the caller's idempotency records are found by and encrypted with. */
  idempotencySubject: string;
  origin: string | undefined;
}

/** A login whose access token has been verified. */
export interface LoginCredentials extends Sent {
  kind: 'login';
  sender: string;
  idempotencySubject: string;
  session: Session;
  token: string;
  /** The account that the request names; undefined for the login's own. */
  account: string | undefined;
}

/** No credentials, or ones that cannot be valid. */
export interface InvalidCredentials extends Sent {
  kind: 'invalid';
  sender?: undefined;
  idempotencySubject?: undefined;
  error: ApiError;
}

/** Credentials that a request presents, verified as far as that is possible without reading the table. */
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
  // What a login reads and repeats in one of its accounts is nothing that it may see in another.
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

/** Returns true for paths of signed-in users; all other paths are for API keys. */
const isLoginPath = (path: string) => [DASHBOARD_PATH, OPERATOR_PATH].some((base) => path.startsWith(`${base}/`));

/** Reads the credentials of a request: a login on the paths for logins, otherwise an API key. A login that cannot be verified now is invalid with 503. */
export async function credentialsFrom(event: Event): Promise<RequestCredentials> {
  const network = clientNetwork(event);
  return isLoginPath(event.rawPath) ? await loginFrom(event, network) : keyFrom(event, network);
}
