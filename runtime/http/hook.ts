import { MAX_HOOK_BYTES } from '../../contract/deployments/push-hook.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output, Route } from '../../contract/route.ts';
import type { HookRequest } from '../../domain/deployments/git-hosts.ts';
import type { Deps } from '../../domain/deps.ts';
import { startEarly } from '../../domain/early.ts';
import { assertAllOn } from '../../domain/switches/switches.ts';
import { switches } from '../bindings/switches.ts';
import { deps as base } from '../deps.ts';
import { clientNetwork } from './edge.ts';
import { requestHandler } from './handler.ts';
import { bodyBytes, parseInput } from './input.ts';
import { countAnonymous, Refusal } from './rate-limit.ts';
import { buildResponse, type Event } from './response.ts';

/**
 * Maximum number of verified calls to one hook in 60 seconds, and of calls of one network that cannot be verified at the moment. A busy
 * repository makes far fewer.
 */
const MAX_CALLS_PER_HOOK = 600;

interface HookActions<R extends Route, E, Subject> {
  /** Verifies the call and returns its subject. Throws 401 for a wrong signature and 404 for an unknown hook. */
  identify(deps: Deps & E, input: Input<R>, request: HookRequest): Promise<Subject>;
  act(deps: Deps & E, subject: Subject, request: HookRequest): Promise<{ status: number; output: Output<R> }>;
}

/**
 * Creates the Lambda handler of a hook, which other services call with a signature instead of a key. Verified calls are counted by
 * path, all others by network, so that guesses cannot use up the limit of a repository.
 */
export function hook<R extends Route, E extends object, Subject>(
  route: R,
  { identify, act }: HookActions<R, E, Subject>,
  extra: E,
  headers: Record<string, string> = {},
) {
  const deps = { ...base, ...extra };
  const verify = async (event: Event) => {
    try {
      const call = { headers: event.headers, body: bodyBytes(event, MAX_HOOK_BYTES) };
      return { call, subject: await identify(deps, parseInput(route, event) as Input<R>, call) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const network = clientNetwork(event);
      // The call cannot be verified at the moment. It is not a guess.
      if (error.code === 'server_error')
        throw new Refusal(error, await countAnonymous(`hook outage ${network}`, MAX_CALLS_PER_HOOK));
      throw new Refusal(error, await countAnonymous(`hook ${network}`));
    }
  };
  return requestHandler(route.id, async (event, request) => {
    const off = startEarly(switches());
    const { call, subject } = await verify(event);
    request.quota = await countAnonymous(`hook ${event.rawPath}`, MAX_CALLS_PER_HOOK);
    assertAllOn(await off, route.stoppedBy);
    const { status, output } = await act(deps, subject, call);
    return buildResponse(request, status, output, headers);
  });
}
