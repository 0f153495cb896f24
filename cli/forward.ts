import { createHmac, randomUUID } from 'node:crypto';
import type { WebhookEvent } from '../client/index.ts';

/** The timeout of a receiver in milliseconds, the same as for a real delivery. */
const TIMEOUT_MS = 10_000;

export interface Forwarded {
  /** The status of the response; null if there was none. */
  status: number | null;
  /** The reason why there was no response. */
  error?: string;
  durationMs: number;
}

/** Returns the headers of a delivery, with the platform's signature and that of Standard Webhooks. */
export function headersOf(event: WebhookEvent, body: string, secret: string, now: Date): Record<string, string> {
  const t = String(Math.floor(now.getTime() / 1000));
  const own = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const standard = createHmac('sha256', key).update(`${event.id}.${t}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhooks/1.0 (forwarded)',
    'x-service-event': event.type,
    'x-service-delivery': `fwd_${randomUUID()}`,
    'x-service-signature': `t=${t},v1=${own}`,
    'webhook-id': event.id,
    'webhook-timestamp': t,
    'webhook-signature': `v1,${standard}`,
  };
}

/** Sends an event to a receiver on this machine. Redirects are not followed, as in real deliveries. */
export async function forward(
  url: string,
  event: WebhookEvent,
  secret: string,
  signal: AbortSignal,
): Promise<Forwarded> {
  const { id, type, created, data } = event;
  const body = JSON.stringify({ id, type, created, data });
  const began = performance.now();
  const took = () => Math.round(performance.now() - began);
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const headers = headersOf(event, body, secret, new Date());
    const init = { method: 'POST', headers, body, redirect: 'manual' as const };
    const response = await fetch(url, { ...init, signal: AbortSignal.any([signal, limit]) });
    await response.body?.cancel();
    return { status: response.status, durationMs: took() };
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = limit.aborted ? 'no response within 10 s' : `${new URL(url).origin} could not be reached`;
    return { status: null, error: reason, durationMs: took() };
  }
}
