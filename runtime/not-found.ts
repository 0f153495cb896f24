import middy from '@middy/core';
import { ApiError } from '../contract/errors.ts';
import { type Event, type ExchangeContext, observed, type Result } from './answer.ts';
import { authenticate, claimOf, countVisitor, keyTextOf } from './authentication.ts';
import { deps } from './deps.ts';

/** A wrong key changes nothing here: there is still nothing. */
function unlessLimited(error: unknown): void {
  if (!(error instanceof ApiError) || error.code === 'rate_limited') throw error;
}

/**
 * An unknown path or method: 404, whoever asks, with all headers. A key that is shown is counted like anywhere else, a
 * caller without one by address.
 */
export const notFound = middy<Event, Result, Error, ExchangeContext>()
  .use(observed('notFound'))
  .handler(async (event: Event, { exchange }: ExchangeContext): Promise<Result> => {
    const { method } = event.requestContext.http;
    const claim = claimOf(event);
    const note = (quota: typeof exchange.quota) => {
      if (quota) exchange.quota = quota;
    };
    if (keyTextOf(event.headers)) await authenticate(deps.table, claim, 'none', deps.now(), note).catch(unlessLimited);
    else await countVisitor(deps.table, claim.sourceIp, deps.now(), note);
    throw new ApiError('not_found', `There is no ${method} ${event.rawPath}.`);
  });
