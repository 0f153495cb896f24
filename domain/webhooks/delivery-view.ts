import type { Output } from '../../contract/route.ts';
import type { resendDelivery as ResendRoute } from '../../contract/webhooks/management.ts';
import { truncateText } from '../../providers/webhooks/body.ts';
import type { Delivery } from '../../table/entities/webhooks.ts';
import type { Deps } from '../deps.ts';
import { responseBudget } from '../response-size.ts';
import { type Attempt, MAX_EARLIER_BYTES, MAX_SHOWN, readAttempts } from './attempts.ts';

type Fits = ReturnType<typeof responseBudget>;
type DeliveryView = Output<typeof ResendRoute>['data'];

/** Headers as they are kept, one by one. */
const viewHeaders = (lines: string): { name: string; value: string }[] =>
  lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ name: line.slice(0, line.indexOf(':')), value: line.slice(line.indexOf(':') + 2) }));

const viewTiming = ({ dnsMs, connectMs, tlsMs, firstByteMs }: NonNullable<Attempt['timing']>) => ({
  dnsMs,
  connectMs,
  tlsMs,
  firstByteMs,
});

/** Returns an attempt with as much of the receiver's response as fits: its beginning in place of all, or nothing of it. */
function viewAttempt(attempt: Attempt, fits: Fits): DeliveryView['attempts'][number] {
  const { id, at, outcome, responseStatus, responseBody, responseHeaders, timing, durationMs } = attempt;
  const headers = responseHeaders === undefined ? null : viewHeaders(responseHeaders);
  const texts = [responseBody, truncateText(Buffer.from(responseBody), MAX_EARLIER_BYTES)];
  return {
    id,
    at,
    outcome,
    responseStatus,
    durationMs,
    responseBody: texts.find(fits) ?? '',
    responseHeaders: fits(headers) ? headers : null,
    timing: timing ? viewTiming(timing) : null,
  };
}

/**
 * Returns a page of deliveries as their owner sees them, which fits into a response: where what the receiver answered is too long
 * for that, it is shown of the newest attempt of each, then of the one before, and so on.
 */
export async function viewDeliveries(deps: Pick<Deps, 'table'>, page: readonly Delivery[]): Promise<DeliveryView[]> {
  const attempts = await Promise.all(page.map((delivery) => readAttempts(deps, delivery)));
  const fits = responseBudget();
  const shown = page.map(({ id, eventId, type, status, createdAt, nextAttemptAt, body }): DeliveryView => {
    // Deliveries themselves are short, and shown in any case.
    fits(body);
    return { id, eventId, type, status, createdAt, nextAttemptAt, body, attempts: [] };
  });
  for (let age = 1; age <= MAX_SHOWN; age += 1)
    for (const [at, delivery] of shown.entries()) {
      const attempt = attempts[at]?.at(-age);
      if (attempt) delivery.attempts.unshift(viewAttempt(attempt, fits));
    }
  return shown;
}
