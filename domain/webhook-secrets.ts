import { createHmac, randomBytes } from 'node:crypto';
import type { Sealed, Secrets } from '../providers/secrets.ts';
import type { Webhook } from '../table/webhook-entities.ts';
import type { Deps } from './deps.ts';

/** How long the secret before a rotation signs too, in milliseconds (design, Dashboard API). */
export const OVERLAP = 24 * 3600 * 1000;

/** What an endpoint's secrets are sealed under (docs/decisions/webhook-secrets.md). */
const context = (webhookId: string) => ({ webhook: webhookId });

/** A new signing secret, as its owner sees it once and as it is stored. */
export async function newSecret(
  deps: { secrets: Secrets },
  webhookId: string,
): Promise<{ secret: string; sealed: Sealed }> {
  const secret = `whsec_${randomBytes(32).toString('base64url')}`;
  return { secret, sealed: await deps.secrets.seal(context(webhookId), secret) };
}

/** Secrets that this warm instance has opened, by their ciphertext: a key call for each attempt would be too dear. */
const opened = new Map<string, string>();
const OPENED_MOST = 2000;

async function open(deps: { secrets: Secrets }, webhookId: string, sealed: Sealed): Promise<string> {
  const known = opened.get(sealed.ciphertext);
  if (known !== undefined) return known;
  const secret = await deps.secrets.unseal(context(webhookId), sealed);
  if (opened.size >= OPENED_MOST) opened.clear();
  opened.set(sealed.ciphertext, secret);
  return secret;
}

/**
 * The value of `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`, with a second `v1=` of the secret before while a
 * rotation overlaps (specification, Signature).
 */
export async function signatureOf(
  deps: Pick<Deps, 'now'> & { secrets: Secrets },
  webhook: Webhook,
  body: string,
): Promise<string> {
  const now = deps.now();
  const { previous } = webhook;
  const overlaps = previous && Date.parse(previous.expiresAt) > now.getTime();
  const sealed = [webhook.secret, ...(overlaps ? [previous.secret] : [])];
  const secrets = await Promise.all(sealed.map((each) => open(deps, webhook.id, each)));
  const t = Math.floor(now.getTime() / 1000);
  const signed = secrets.map((secret) => `v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`);
  return [`t=${t}`, ...signed].join(',');
}
