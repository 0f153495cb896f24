import middy from '@middy/core';
import { HOOK_LIMIT } from '../contract/deployments/push-hook.ts';
import { ApiError } from '../contract/errors.ts';
import type { Input, Output, Route } from '../contract/route.ts';
import type { Deps } from '../domain/deps.ts';
import type { HookRequest } from '../domain/deployments/git-hosts.ts';
import { answer, type Event, type ExchangeContext, observed, type Result } from './answer.ts';
import { claimOf, countVisitor } from './authentication.ts';
import { deps as base } from './deps.ts';
import { bodyBytes, parseInput } from './http/input.ts';

/** Hooks that one subject may be told of in 60 seconds: a busy repository stays far below, a runaway does not. */
const PER_SUBJECT = 600;

interface Act<R extends Route, E, Subject> {
  /** Whom the hook is about. Throws 401 where its secret did not sign it, 404 where there is nobody. */
  identify(deps: Deps & E, input: Input<R>, request: HookRequest): Promise<Subject>;
  act(deps: Deps & E, subject: Subject, request: HookRequest): Promise<{ status: number; output: Output<R> }>;
}

/**
 * One Lambda that others' services call with a signature of their own in place of a key. Genuine ones are counted by
 * their path, all others by address like any guess: a guesser cannot use up what a repository needs.
 */
export function hook<R extends Route, E extends object, Subject>(
  route: R,
  { identify, act }: Act<R, E, Subject>,
  extra: E,
) {
  const deps = { ...base, ...extra };
  return middy<Event, Result, Error, ExchangeContext>()
    .use(observed(route.id))
    .handler(async (event: Event, { exchange }: ExchangeContext): Promise<Result> => {
      const note = (quota: typeof exchange.quota) => {
        if (quota) exchange.quota = quota;
      };
      const count = (sender: string, limit?: number) => countVisitor(base.table, sender, base.now(), note, limit);
      const identified = async () => {
        const request = { headers: event.headers, body: bodyBytes(event, HOOK_LIMIT) };
        return { request, subject: await identify(deps, parseInput(route, event) as Input<R>, request) };
      };
      const refused = async (error: unknown): Promise<never> => {
        if (error instanceof ApiError) await count(`hook ${claimOf(event).sourceIp}`);
        throw error;
      };
      const { request, subject } = await identified().catch(refused);
      await count(`hook ${event.rawPath}`, PER_SUBJECT);
      const { status, output } = await act(deps, subject, request);
      return answer(exchange, status, output);
    });
}
