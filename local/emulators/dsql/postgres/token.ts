import { timingSafeEqual } from 'node:crypto';
import aws4 from 'aws4';
import type { Session, Sessions } from '../../sts/sessions.ts';

/** Signer of a token; the administrator's own keys have no session. */
export type Signer = { session: Session | undefined };

/** Maximum validity of a token in seconds, by DSQL. */
const MAX_SECONDS = 604_800;

const parseDate = (date: string): number =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5'));

interface TokenCheck {
  sessions: Pick<Sessions, 'read'>;
  /** The host that tokens of the cluster name. */
  host: string;
  region: string;
  /** Keys of the administrator. */
  administrator: { accessKeyId: string; secretAccessKey: string };
  now?: number;
}

/**
 * Checks a password as DSQL does: a connect request that is signed for the cluster's host and region, and valid. Returns
 * undefined for any other text.
 * https://docs.aws.amazon.com/aurora-dsql/latest/userguide/SECTION_authentication-token.html
 */
export function verifyToken(
  password: string,
  { sessions, host, region, administrator, now = Date.now() }: TokenCheck,
): Signer | undefined {
  const url = URL.canParse(`https://${password}`) ? new URL(`https://${password}`) : undefined;
  if (url?.hostname !== host || url.searchParams.get('Action') !== 'DbConnectAdmin') return undefined;
  const given = Object.fromEntries(url.searchParams);
  const [accessKeyId = '', , signedRegion, service] = (given['X-Amz-Credential'] ?? '').split('/');
  const sessionToken = given['X-Amz-Security-Token'];
  const found = sessionToken === undefined ? undefined : sessions.read(sessionToken);
  const isAdministrator = sessionToken === undefined && accessKeyId === administrator.accessKeyId;
  if (signedRegion !== region || service !== 'dsql' || (!isAdministrator && found?.accessKeyId !== accessKeyId)) {
    return undefined;
  }
  const [seconds, date] = [given['X-Amz-Expires'] ?? '', given['X-Amz-Date'] ?? ''];
  const signed = aws4.sign(
    {
      service: 'dsql',
      region,
      method: 'GET',
      signQuery: true,
      host,
      path: `/?Action=DbConnectAdmin&X-Amz-Expires=${seconds}&X-Amz-Date=${date}`,
    },
    found && sessionToken
      ? { accessKeyId, secretAccessKey: found.secretAccessKey, sessionToken }
      : { accessKeyId, secretAccessKey: administrator.secretAccessKey },
  );
  const expected = new URL(signed.path ?? '', 'https://host').searchParams.get('X-Amz-Signature') ?? '';
  const [a, b] = [Buffer.from(given['X-Amz-Signature'] ?? ''), Buffer.from(expected)];
  if (a.length !== b.length || !timingSafeEqual(a, b)) return undefined;
  const isValid = Number(seconds) <= MAX_SECONDS && now < parseDate(date) + Number(seconds) * 1000;
  if (!isValid || (found && found.session.expiresAt < now)) return undefined;
  return { session: found?.session };
}
