import { createHmac, randomBytes } from 'node:crypto';
import type { Sealed, Secrets } from '../../providers/encryption/secrets.ts';
import type { Webhook } from '../../table/entities/webhooks.ts';
import { epoch } from '../../table/entity.ts';
import { openSecret } from '../cache/secret-cache.ts';
import type { Deps } from '../deps.ts';
import { DAY_MS } from '../time.ts';

/** Time after a rotation for which deliveries are signed with the previous secret as well, in milliseconds. */
export const ROTATION_OVERLAP_MS = DAY_MS;

/** Encryption context of an endpoint's secrets (docs/decisions/0013-webhook-delivery.md). */
const context = (webhookId: string) => ({ webhook: webhookId });

const PREFIX = 'whsec_';

/**
 * Creates a signing secret, in plain text for its owner and encrypted for the table: the prefix and standard base64 of 32 bytes,
 * which the libraries of Standard Webhooks accept (24 to 64 bytes).
 */
export async function newSecret(
  deps: { secrets: Secrets },
  webhookId: string,
): Promise<{ secret: string; sealed: Sealed }> {
  const secret = PREFIX + randomBytes(32).toString('base64');
  return { secret, sealed: await deps.secrets.seal(context(webhookId), secret) };
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);

/** Returns the key for Standard Webhooks: the decoded bytes after the prefix. Secrets created before 2026-11-22 are base64url, which `Buffer` decodes as well. */
const standardKey = (secret: string) => Buffer.from(secret.slice(PREFIX.length), 'base64');

/**
 * Returns the headers that authenticate one attempt, in both formats. During the overlap after a rotation, each also contains a
 * signature with the previous secret.
 *
 * - `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`, keyed with the whole text of the secret (specification, Signature).
 * - `webhook-id`, `webhook-timestamp`, `webhook-signature`: `v1,<base64>`, keyed with the secret's bytes
 *   (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 *
 * @param eventId the same for every attempt: receivers of either format use it to ignore duplicates
 */
export async function signBody(
  deps: Pick<Deps, 'now'> & { secrets: Secrets },
  webhook: Webhook,
  eventId: string,
  body: string,
): Promise<Record<string, string>> {
  const now = deps.now();
  const { previous } = webhook;
  const overlaps = previous && Date.parse(previous.expiresAt) > now.getTime();
  const sealed = [webhook.secret, ...(overlaps ? [previous.secret] : [])];
  const secrets = await Promise.all(sealed.map((each) => openSecret(deps, context(webhook.id), each)));
  const t = String(epoch(now));
  const serviceSignatures = secrets.map((secret) => `v1=${hmac(secret, `${t}.${body}`).digest('hex')}`);
  const standardSignatures = secrets.map(
    (secret) => `v1,${hmac(standardKey(secret), `${eventId}.${t}.${body}`).digest('base64')}`,
  );
  return {
    'x-service-signature': [`t=${t}`, ...serviceSignatures].join(','),
    'webhook-id': eventId,
    'webhook-timestamp': t,
    'webhook-signature': standardSignatures.join(' '),
  };
}
