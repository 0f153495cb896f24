import { ApiError } from '../../contract/errors.ts';
import { memberOf } from '../../contract/json.ts';
import { type Input, MAX_REVOCATION_DELAY_S, type Output, type Route } from '../../contract/route.ts';
import { assertNotClosing } from '../../domain/accounts/credentials.ts';
import { committing } from '../../domain/audit/record.ts';
import type { Caller, Deps } from '../../domain/deps.ts';
import { startEarly } from '../../domain/early.ts';
import { assertAllOn } from '../../domain/switches/switches.ts';
import { switches } from '../bindings/switches.ts';
import { deps as base } from '../deps.ts';
import { credentialsFrom, type RequestCredentials } from './credentials.ts';
import { clientAddress, clientNetwork } from './edge.ts';
import { type Layer, requestHandler } from './handler.ts';
import { canonicalJson, type IdempotentRequest, idempotentRequest } from './idempotency.ts';
import { type Identity, identify } from './identify.ts';
import { parseInput, parseRequest, readBody } from './input.ts';
import { countAnonymous } from './rate-limit.ts';
import { buildResponse, type Event, type RequestContext } from './response.ts';
import { withSpeculativeRead } from './speculative-read.ts';

const REPLAYED = { 'idempotent-replayed': 'true' };

/** Returns the idempotency of a POST with an `Idempotency-Key`; undefined for other requests. */
function idempotencyOf(route: Route, event: Event, subject: string | undefined): IdempotentRequest | undefined {
  const key = event.headers['idempotency-key'];
  if (route.method !== 'POST' || key === undefined || subject === undefined) return undefined;
  const { rawPath: path, body = '' } = event;
  return idempotentRequest(base, key, subject, {
    operation: route.id,
    path,
    body,
    canonicalBody: canonicalBodyOf(event) ?? body,
  });
}

/** Returns the body as canonical JSON; undefined if it is not JSON, which the operation refuses or ignores. */
function canonicalBodyOf(event: Event): string | undefined {
  try {
    return canonicalJson(readBody(event).json);
  } catch {
    return undefined;
  }
}

/** Returns the reason that an operator's request gives. */
const reasonOf = (input: unknown): { reason?: string } => {
  const reason = memberOf(input, 'reason');
  return typeof reason === 'string' ? { reason } : {};
};

/**
 * Returns the dependencies of a request, whose `commit` also writes the audit entry that the route declares. For an operator's
 * request, the domain function names the account of the entry.
 */
function audited(
  route: Route,
  event: Event,
  { requestId, input }: RequestContext,
  { accountId, keyId, session, email }: Caller,
): Deps {
  if (route.audit === undefined) return base;
  const origin = { address: clientAddress(event), requestId };
  const name = email === undefined ? {} : { name: email };
  if (route.access === 'operator') {
    const operator = { kind: 'OPERATOR' as const, id: session?.subject ?? null, ...name };
    return { ...base, commit: committing(base, { actor: operator, ...origin, ...reasonOf(input) }) };
  }
  const actor = session
    ? { kind: 'LOGIN' as const, id: session.subject, ...name }
    : { kind: 'KEY' as const, id: keyId };
  const request = { action: route.audit, accountId, subjectId: event.pathParameters?.id };
  return { ...base, commit: committing(base, { actor, ...origin, request }) };
}

type Read = (caller: Caller, input: unknown) => Promise<unknown>;

/**
 * Identifies the caller, and counts the request if its operation has a limit per minute. For a GET of a recently authenticated
 * sender, starts the speculative read.
 */
async function identifyAndRead(
  route: Route,
  read: Read,
  event: Event,
  credentials: RequestCredentials,
): Promise<Identity & { output?: Promise<unknown> | undefined }> {
  const identification = identify(credentials, route);
  if (route.perMinute !== undefined) {
    const identity = await identification;
    await countAnonymous(`${route.id} ${identity.caller.accountId}`, route.perMinute);
    return identity;
  }
  // A read that writes an audit entry must not run before the caller is authenticated.
  if (route.method !== 'GET' || route.audit !== undefined || credentials.sender === undefined) return identification;
  return withSpeculativeRead(credentials.sender, identification, async (caller) =>
    read(caller, parseInput(route, event)),
  );
}

/**
 * Identifies the caller and counts the request. The stored output of a repeated request and the output of a GET are read in
 * parallel, without an extra round trip.
 */
const identification = (route: Route, read: Read): Layer => ({
  before: async ({ event, context: { request } }) => {
    if (route.access === 'none') {
      request.quota = await countAnonymous(`docs ${clientNetwork(event)}`);
      return;
    }
    if (route.stoppedBy.length > 0) request.off = startEarly(switches());
    const credentials = await credentialsFrom(event);
    request.idempotency = idempotencyOf(route, event, credentials.idempotencySubject);
    const { caller, quota, closesAt, output } = await identifyAndRead(route, read, event, credentials);
    request.caller = caller;
    request.quota = quota;
    request.closesAt = closesAt;
    request.output = output;
  },
});

/**
 * Refuses an operation that operators have switched off, validates the input, returns the stored output of a repeated request, and
 * refuses changes of an account that waits for its deletion.
 */
const validation = (route: Route): Layer => ({
  before: async ({ event, context: { request } }) => {
    if (request.off) assertAllOn(await request.off, route.stoppedBy);
    const { input, ignored } = parseRequest(route, event);
    request.input = input;
    request.ignored = ignored;
    const stored = await request.idempotency?.stored(request.caller?.accountId ?? '');
    if (stored !== undefined) return buildResponse(request, route.status, stored, REPLAYED);
    // Last, so that the repeated request for the deletion gets its response.
    assertNotClosing(request);
  },
});

/**
 * Browsers and the edge cache the catalogue per key, for as long as a revoked key may still work (lib/stacks/edge.ts).
 */
const CATALOGUE = {
  'cache-control': `public, max-age=${MAX_REVOCATION_DELAY_S}`,
  vary: 'Authorization, X-Public-Key, Origin',
};

/** The caller of an operation that needs no key. */
const ANONYMOUS: Caller = { accountId: '', keyId: '' };

/**
 * Creates the Lambda handler of an operation. The route declares its access and input, and the domain function implements it. The
 * order of the layers determines the order of refusals: 401, 429, 403, 503 for a switched-off operation, 400 for invalid input, then 409.
 *
 * @param extra providers that the domain function needs besides {@link Deps}; the bundle contains no others
 */
export function endpoint<R extends Route, E extends object = object>(
  route: R,
  act: (deps: Deps & E, caller: Caller, input: Input<R>) => Promise<Output<R>>,
  extra?: E,
  headers: Record<string, string> = route.access === 'catalogue' ? CATALOGUE : {},
) {
  const run = (deps: Deps, caller: Caller, input: unknown) =>
    act({ ...deps, ...extra } as Deps & E, caller, input as Input<R>);
  return requestHandler(
    route.id,
    async (event, request) => {
      const { idempotency, caller = ANONYMOUS, input, output } = request;
      const deps = audited(route, event, request, caller);
      try {
        const body = await (output ?? run(idempotency?.withIdempotency(deps, caller.accountId) ?? deps, caller, input));
        return buildResponse(request, route.status, body, headers);
      } catch (error) {
        // The same request may have been processed concurrently. Its output is then returned for this request too.
        const stored = error instanceof ApiError ? await idempotency?.lookup(caller.accountId) : undefined;
        if (stored === undefined) throw error;
        return buildResponse(request, route.status, stored, REPLAYED);
      }
    },
    [identification(route, (caller, input) => run(base, caller, input)), validation(route)],
  );
}
