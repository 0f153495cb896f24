import middy from '@middy/core';
import { ApiError } from '../contract/errors.ts';
import type { Input, Output, Route } from '../contract/route.ts';
import type { Caller, Deps } from '../domain/deps.ts';
import { answer, type Event, type ExchangeContext, type Layer, observed, type Result } from './answer.ts';
import { claimOf, countVisitor, type Hearing } from './authentication.ts';
import { deps as base } from './deps.ts';
import { parseInput } from './http/input.ts';
import { type Idempotency, idempotency } from './idempotency.ts';
import { identify } from './identity.ts';

const REPLAYED = { 'idempotent-replayed': 'true' };

/** The earlier answer that this call asks for, if it is a repeat. */
function repeatOf(route: Route, event: Event, principal: string): Idempotency | undefined {
  const key = event.headers['idempotency-key'];
  if (route.method !== 'POST' || key === undefined) return undefined;
  return idempotency(base.table, key, principal, [route.id, event.rawPath, event.body ?? '']);
}

/**
 * Who calls, and are they within their limit? A repeat's answer is looked up meanwhile, and what a known key asks to read
 * is read meanwhile: no round trip of their own (docs/decisions/reading-ahead.md).
 */
const identifying = (route: Route, act: (caller: Caller, input: unknown) => Promise<unknown>): Layer => ({
  before: async ({ event, context: { exchange } }) => {
    const note: Hearing['note'] = (quota) => {
      exchange.quota = quota;
    };
    if (route.access === 'none')
      return await countVisitor(base.table, `docs ${claimOf(event).sourceIp}`, base.now(), note);
    const principal = (text: string) => {
      exchange.repeat = repeatOf(route, event, text);
    };
    const readAhead = (caller: Caller) => {
      if (exchange.ahead) return;
      const output = (async () => await act(caller, parseInput(route, event)))();
      // Its failure is the caller's to hear once we know who that is, or nobody's.
      output.catch(() => undefined);
      exchange.ahead = { caller, output };
    };
    const foresee = route.method === 'GET' ? readAhead : undefined;
    exchange.caller = await identify(event, route.access, { note, principal, foresee });
  },
});

const validate = (route: Route): Layer => ({
  before: async ({ event, context: { exchange } }) => {
    exchange.input = parseInput(route, event);
    const remembered = await exchange.repeat?.remembered;
    if (remembered !== undefined) return answer(exchange, route.status, remembered, REPLAYED);
  },
});

/** What was read ahead, if it was read for this caller. */
const outputFor = ({ accountId, keyId }: Caller, { ahead }: ExchangeContext['exchange']) =>
  ahead?.caller.accountId === accountId && ahead.caller.keyId === keyId ? ahead.output : undefined;

/** The catalogue is the same for a minute, for whoever shows the same key: browsers and our edge keep it (lib/stacks/edge.ts). */
const CATALOGUE = { 'cache-control': 'public, max-age=60', vary: 'Authorization, X-Public-Key, Origin' };

/** The caller of an endpoint that needs no key. */
const NOBODY: Caller = { accountId: '', keyId: '' };

/**
 * One Lambda of the API: the route says who may call and with what, the domain function does it. The order of the layers
 * is the order of refusal: 401, 429, 403, then 400 for what is wrong in the request.
 *
 * @param extra the providers that this domain function needs beyond {@link Deps}; nothing else enters the bundle
 */
export function endpoint<R extends Route, E extends object = object>(
  route: R,
  act: (deps: Deps & E, caller: Caller, input: Input<R>) => Promise<Output<R>>,
  extra?: E,
  headers: Record<string, string> = route.access === 'catalogue' ? CATALOGUE : {},
) {
  const read = (caller: Caller, input: unknown) => act({ ...base, ...extra } as Deps & E, caller, input as Input<R>);
  return middy<Event, Result, Error, ExchangeContext>()
    .use(observed(route.id))
    .use(identifying(route, read))
    .use(validate(route))
    .handler(async (_event: Event, { exchange }: ExchangeContext) => {
      const { repeat, caller = NOBODY } = exchange;
      const deps = { ...(repeat ? repeat.remembering(base) : base), ...extra } as Deps & E;
      try {
        const output = await (outputFor(caller, exchange) ?? act(deps, caller, exchange.input as Input<R>));
        return answer(exchange, route.status, output, headers);
      } catch (error) {
        // The same call may have been under way twice: then the other one's answer is this one's too.
        const remembered = error instanceof ApiError ? await repeat?.recall() : undefined;
        if (remembered === undefined) throw error;
        return answer(exchange, route.status, remembered, REPLAYED);
      }
    });
}
