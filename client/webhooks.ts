import type { WebhookEvent } from './operations.generated.ts';

/** The error of a delivery whose signature is missing, wrong or too old. Respond with 400 and ignore the delivery. */
export class InvalidSignatureError extends Error {
  override readonly name = 'InvalidSignatureError';
}

export interface Delivery {
  /** The raw body, before it is parsed. */
  body: string;
  /** The value of `X-Service-Signature`. */
  signature: string | null | undefined;
  /** The endpoint's signing secret, `whsec_…`. */
  secret: string;
  /** The maximum age of the signature in seconds. Default: 300. */
  toleranceSeconds?: number | undefined;
  now?: Date | undefined;
}

const DEFAULT_TOLERANCE_S = 300;

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

/**
 * Verifies a delivery and returns its event. Ignore an event whose `id` you have already processed, because deliveries can be
 * repeated. Throws {@link InvalidSignatureError}. Signatures are compared in constant time.
 */
export async function verifyWebhook({
  body,
  signature,
  secret,
  toleranceSeconds,
  now,
}: Delivery): Promise<WebhookEvent> {
  const parts = (signature ?? '').split(',').map((part) => part.split('=', 2));
  const t = parts.find(([name]) => name === 't')?.[1] ?? '';
  const signatures = parts.flatMap(([name, value = '']) =>
    name === 'v1' && /^[0-9a-f]{64}$/.test(value) ? [value] : [],
  );
  if (!/^\d{1,12}$/.test(t) || signatures.length === 0) throw new InvalidSignatureError('The delivery is not signed.');
  const age = Math.abs((now ?? new Date()).getTime() / 1000 - Number(t));
  if (age > (toleranceSeconds ?? DEFAULT_TOLERANCE_S)) throw new InvalidSignatureError('The signature is too old.');
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['verify']);
  const signed = encoder.encode(`${t}.${body}`);
  const verdicts = await Promise.all(
    signatures.map((candidate) => crypto.subtle.verify('HMAC', key, bytesOf(candidate), signed)),
  );
  if (!verdicts.includes(true)) throw new InvalidSignatureError('The signature does not match.');
  return JSON.parse(body) as WebhookEvent;
}
