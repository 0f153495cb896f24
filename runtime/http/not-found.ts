import middy from '@middy/core';
import { ApiError } from '../../contract/errors.ts';
import type { Quota } from '../../domain/accounts/rate-limit.ts';
import { credentialsFrom } from './credentials.ts';
import { identify } from './identify.ts';
import { Refusal } from './rate-limit.ts';
import { type Event, type HandlerContext, type RequestContext, type Result, requestLogging } from './response.ts';

/** Counts a request by its caller if it has one, else by address, and returns the quota. Throws 429. */
async function countUnmatched(event: Event): Promise<Quota | undefined> {
  try {
    return (await identify(await credentialsFrom(event), 'none')).quota;
  } catch (error) {
    const apiError = error instanceof Refusal ? error.error : error;
    // An invalid key is no error here: the path does not exist for any caller.
    if (!(apiError instanceof ApiError) || apiError.code === 'rate_limited') throw error;
    return error instanceof Refusal ? error.quota : undefined;
  }
}

/** Refuses an unknown path or method with 404, for every caller, after counting the request as any other. */
export async function refuseUnmatched(event: Event, request: RequestContext): Promise<never> {
  const quota = await countUnmatched(event);
  if (quota) request.quota = quota;
  throw new ApiError('not_found', `There is no ${event.requestContext.http.method} ${event.rawPath}.`);
}

/** Creates the Lambda handler of every path and method that no operation has. */
export const notFound = () =>
  middy<Event, Result, Error, HandlerContext>()
    .use(requestLogging('notFound'))
    .handler((event: Event, { request }: HandlerContext): Promise<Result> => refuseUnmatched(event, request));
