import aws4 from 'aws4';
import type { Session, Sessions } from '../../sts/sessions.ts';
import { isSameSignature, parseDate } from '../../sts/signatures.ts';

/** The signer of a token. The session is undefined for the administrator's keys. */
export type Signer = { session: Session | undefined };

/** DSQL's maximum validity of a token. */
const MAX_SECONDS = 604_800;

interface TokenCheck {
  sessions: Pick<Sessions, 'read'>;
  /** The host that a token for the cluster must contain. */
  host: string;
  region: string;
  /** Keys of the administrator. */
  administrator: { accessKeyId: string; secretAccessKey: string };
  now?: number;
}

/** The keys with which a token is signed. */
interface SigningKeys extends Signer {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** Returns the keys with an access key id: the administrator's, or those of the given session token. */
function signingKeys(
  accessKeyId: string,
  sessionToken: string | undefined,
  { sessions, administrator }: TokenCheck,
): SigningKeys | undefined {
  if (sessionToken === undefined) {
    const { secretAccessKey } = administrator;
    return accessKeyId === administrator.accessKeyId ? { accessKeyId, secretAccessKey, session: undefined } : undefined;
  }
  const found = sessions.read(sessionToken);
  return found?.accessKeyId === accessKeyId ? { ...found, sessionToken } : undefined;
}

/** Returns the signature that a token must have. */
function expectedSignature(
  { host, region }: TokenCheck,
  { accessKeyId, secretAccessKey, sessionToken }: SigningKeys,
  validity: { seconds: string; date: string },
): string {
  const path = `/?Action=DbConnectAdmin&X-Amz-Expires=${validity.seconds}&X-Amz-Date=${validity.date}`;
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  const signed = aws4.sign({ service: 'dsql', region, method: 'GET', signQuery: true, host, path }, keys);
  return new URL(signed.path ?? '', 'https://host').searchParams.get('X-Amz-Signature') ?? '';
}

/**
 * Verifies a password as DSQL does: it must be a valid connect request, signed for the cluster's host and region. Returns
 * undefined for any other text.
 * https://docs.aws.amazon.com/aurora-dsql/latest/userguide/SECTION_authentication-token.html
 */
export function verifyToken(password: string, check: TokenCheck): Signer | undefined {
  const { host, region, now = Date.now() } = check;
  const url = URL.canParse(`https://${password}`) ? new URL(`https://${password}`) : undefined;
  if (url?.hostname !== host || url.searchParams.get('Action') !== 'DbConnectAdmin') return undefined;
  const given = Object.fromEntries(url.searchParams);
  const [accessKeyId = '', , signedRegion, service] = (given['X-Amz-Credential'] ?? '').split('/');
  if (signedRegion !== region || service !== 'dsql') return undefined;
  const keys = signingKeys(accessKeyId, given['X-Amz-Security-Token'], check);
  if (!keys) return undefined;
  const [seconds, date] = [given['X-Amz-Expires'] ?? '', given['X-Amz-Date'] ?? ''];
  const expected = expectedSignature(check, keys, { seconds, date });
  if (!isSameSignature(given['X-Amz-Signature'] ?? '', expected)) return undefined;
  const { session } = keys;
  const isValid = Number(seconds) <= MAX_SECONDS && now < parseDate(date) + Number(seconds) * 1000;
  if (!isValid || (session && session.expiresAt < now)) return undefined;
  return { session };
}
