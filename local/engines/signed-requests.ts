import type { IncomingMessage } from 'node:http';
import aws4 from 'aws4';
import { isAllowed, type Sessions } from '../emulators/sts/sessions.ts';
import { isSameSignature, parseDate } from '../emulators/sts/signatures.ts';

/** S3's error response to a request. */
export interface Refusal {
  status: number;
  code: string;
}

const refuse = (code: string, status = 403): Refusal => ({ status, code });

const ACTIONS: Record<string, string> = {
  GET: 's3:GetObject',
  HEAD: 's3:GetObject',
  PUT: 's3:PutObject',
  DELETE: 's3:DeleteObject',
};

type SignedMessage = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** Returns the signature that a presigned request must have for these headers and keys. */
function expectedSignature(
  { method = 'GET', headers }: SignedMessage,
  { pathname, searchParams }: URL,
  signedHeaders: readonly string[],
  secretAccessKey: string,
): string {
  const given = Object.fromEntries(searchParams);
  const [accessKeyId = '', , region = ''] = (given['X-Amz-Credential'] ?? '').split('/');
  const signedParameters = ['X-Amz-Expires', 'X-Amz-Date'].map((name) => `${name}=${given[name] ?? ''}`);
  const others = signedHeaders.filter((name) => name !== 'host');
  const signed = aws4.sign(
    {
      service: 's3',
      region,
      method,
      signQuery: true,
      host: headers.host ?? '',
      path: `${pathname}?${signedParameters.join('&')}`,
      headers: Object.fromEntries(others.map((name) => [name, headers[name]])),
    },
    { accessKeyId, secretAccessKey, sessionToken: given['X-Amz-Security-Token'] ?? '' },
  );
  return new URL(signed.path ?? '', 'http://localhost').searchParams.get('X-Amz-Signature') ?? '';
}

/**
 * Checks a presigned request as S3 does: its signature, signed headers, validity, and the policy of the session that signed it.
 * Returns undefined for a valid request, and for one that is not presigned, which other code authorizes.
 */
export function refusePresigned(request: SignedMessage, sessions: Sessions, now = Date.now()): Refusal | undefined {
  const { method = 'GET', headers } = request;
  const url = new URL(request.url ?? '/', 'http://localhost');
  const query = url.searchParams;
  const signature = query.get('X-Amz-Signature');
  if (signature === null) return undefined;
  const found = sessions.read(query.get('X-Amz-Security-Token') ?? '');
  if (!found) return refuse('InvalidToken', 400);
  const { session, secretAccessKey } = found;

  const given = Object.fromEntries(query);
  const names = (given['X-Amz-SignedHeaders'] ?? '').split(';');
  const isMissing = names.some((name) => headers[name] === undefined);
  if (!names.includes('host') || isMissing) return refuse('AccessDenied');
  const expected = expectedSignature(request, url, names, secretAccessKey);
  if (!isSameSignature(signature, expected)) return refuse('SignatureDoesNotMatch');

  const validUntil = parseDate(given['X-Amz-Date'] ?? '') + Number(given['X-Amz-Expires']) * 1000;
  if (!(now < validUntil && now < session.expiresAt)) return refuse('AccessDenied');
  const resource = `arn:aws:s3:::${decodeURIComponent(url.pathname.slice(1))}`;
  return isAllowed(session, ACTIONS[method] ?? '', resource) ? undefined : refuse('AccessDenied');
}
