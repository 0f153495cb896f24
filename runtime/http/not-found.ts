import { entryOf } from '../../contract/enums.ts';
import { ApiError, unknownOperation } from '../../contract/errors.ts';
import type { Quota } from '../../domain/accounts/rate-limit.ts';
import { credentialsFrom } from './credentials.ts';
import { clientNetwork } from './edge.ts';
import { requestHandler } from './handler.ts';
import { identify } from './identify.ts';
import { countAnonymous, Refusal } from './rate-limit.ts';
import { buildResponse, type Event, type RequestContext, type Result } from './response.ts';

/** Counts a request by its caller, or by network without one, and returns the quota. Throws 429. */
async function countUnmatched(event: Event): Promise<Quota | undefined> {
  try {
    return (await identify(await credentialsFrom(event), { access: 'none' })).quota;
  } catch (error) {
    const apiError = error instanceof Refusal ? error.error : error;
    // An invalid key is not an error here, because the path does not exist for any caller.
    if (!(apiError instanceof ApiError) || apiError.code === 'rate_limited') throw error;
    return error instanceof Refusal ? error.quota : undefined;
  }
}

/** Additional advice for paths that common clients request by default. */
const ADVICE: Readonly<Record<string, string>> = {
  '/ai/v1/responses':
    ' The AI gateway has chat completions: openai.chat(model) in the AI SDK, setOpenAIAPI("chat_completions") in OpenAI’s agents.',
};

/** Counts a request for an unknown path or method, and throws 404. */
export async function refuseUnmatched(event: Event, request: RequestContext): Promise<never> {
  const quota = await countUnmatched(event);
  if (quota) request.quota = quota;
  const advice = entryOf(ADVICE, event.rawPath) ?? '';
  throw unknownOperation(event.requestContext.http.method, event.rawPath, advice);
}

/** Redirects of paths that people and browsers request to the pages. */
const PAGES: Readonly<Record<string, string>> = {
  '/': '/dashboard',
  '/docs/': '/docs',
  '/favicon.ico': '/dashboard/icon.svg',
};

/** Redirects a request to its page, and counts it like one for the documentation; returns undefined for any other request. */
async function redirectToPage(event: Event, request: RequestContext): Promise<Result | undefined> {
  const location = entryOf(PAGES, event.rawPath);
  if (location === undefined || !['GET', 'HEAD'].includes(event.requestContext.http.method)) return undefined;
  request.quota = await countAnonymous(`docs ${clientNetwork(event)}`);
  return buildResponse(request, 302, '', { location, 'cache-control': 'public, max-age=3600' });
}

/** Creates the Lambda handler for all paths and methods without an operation. */
export const notFound = () =>
  requestHandler(
    'notFound',
    async (event, request) => (await redirectToPage(event, request)) ?? (await refuseUnmatched(event, request)),
  );
