import type { Output } from '../../contract/route.ts';
import type { resendDelivery as ResendRoute } from '../../contract/webhooks/management.ts';
import { truncateText } from '../../providers/webhooks/body.ts';
import type { Delivery } from '../../table/entities/webhooks.ts';
import type { Deps } from '../deps.ts';
import { responseBudget } from '../response-size.ts';
import { type Attempt, MAX_EARLIER_BYTES, MAX_SHOWN, readAttempts } from './attempts.ts';

type Fits = ReturnType<typeof responseBudget>;
type DeliveryView = Output<typeof ResendRoute>['data'];

/** Splits stored headers, one `Name: value` per line. */
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

/** Returns an attempt with the receiver's response if it fits, else with the beginning of the response, else without it. */
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
 * Returns a page of deliveries for their owner, shortened to fit into one response. The receivers' responses are added in the order
 * of the newest attempt of each delivery, then the second newest of each, and so on, as long as they fit.
 */
export async function viewDeliveries(deps: Pick<Deps, 'table'>, page: readonly Delivery[]): Promise<DeliveryView[]> {
  const attempts = await Promise.all(page.map((delivery) => readAttempts(deps, delivery)));
  const fits = responseBudget();
  const shown = page.map(({ id, eventId, type, status, createdAt, nextAttemptAt, body }): DeliveryView => {
    // Deliveries without their attempts are short: they are counted, but always shown.
    fits(body);
    return { id, eventId, type, status, createdAt, nextAttemptAt, body, attempts: [] };
  });
  for (let age = 1; age <= MAX_SHOWN; age += 1)
    for (const [index, delivery] of shown.entries()) {
      const attempt = attempts[index]?.at(-age);
      if (attempt) delivery.attempts.unshift(viewAttempt(attempt, fits));
    }
  return shown;
}
