import middy from '@middy/core';
import { ApiError } from '../contract/errors.ts';
import { type Event, type ExchangeContext, observed, type Result } from './answer.ts';
import { countLost } from './identity.ts';

/**
 * An unknown path or method: 404, whoever asks, with all headers. A key or login that is shown is counted like
 * anywhere else, a caller without one by address.
 */
export const notFound = middy<Event, Result, Error, ExchangeContext>()
  .use(observed('notFound'))
  .handler(async (event: Event, { exchange }: ExchangeContext): Promise<Result> => {
    const { method } = event.requestContext.http;
    await countLost(event, (quota) => {
      exchange.quota = quota;
    });
    throw new ApiError('not_found', `There is no ${method} ${event.rawPath}.`);
  });
