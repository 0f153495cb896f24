import { createHmac, randomBytes } from 'node:crypto';
import type { Sealed, Secrets } from '../../providers/encryption/secrets.ts';
import type { Webhook } from '../../table/entities/webhooks.ts';
import { openSecret } from '../cache/secret-cache.ts';
import type { Deps } from '../deps.ts';

/** Time for which the previous secret signs too after a rotation, in milliseconds (design, Dashboard API). */
export const ROTATION_OVERLAP_MS = 24 * 3600 * 1000;

/** Encryption context of an endpoint's secrets (docs/decisions/0013-webhook-delivery.md). */
const context = (webhookId: string) => ({ webhook: webhookId });

/** A new signing secret, as its owner sees it once and as it is stored. */
export async function newSecret(
  deps: { secrets: Secrets },
  webhookId: string,
): Promise<{ secret: string; sealed: Sealed }> {
  const secret = `whsec_${randomBytes(32).toString('base64url')}`;
  return { secret, sealed: await deps.secrets.seal(context(webhookId), secret) };
}

/**
 * The value of `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`, with a second `v1=` of the secret before while a
 * rotation overlaps (specification, Signature).
 */
export async function signBody(
  deps: Pick<Deps, 'now'> & { secrets: Secrets },
  webhook: Webhook,
  body: string,
): Promise<string> {
  const now = deps.now();
  const { previous } = webhook;
  const overlaps = previous && Date.parse(previous.expiresAt) > now.getTime();
  const sealed = [webhook.secret, ...(overlaps ? [previous.secret] : [])];
  const secrets = await Promise.all(sealed.map((each) => openSecret(deps, context(webhook.id), each)));
  const t = Math.floor(now.getTime() / 1000);
  const signed = secrets.map((secret) => `v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`);
  return [`t=${t}`, ...signed].join(',');
}
