import { ApiError, notAMember } from '../../contract/errors.ts';
import { hasRight, roleMessage } from '../../contract/roles.ts';
import { type Access, isChange, type Route } from '../../contract/route.ts';
import { assertNotSuspended, assertUsable } from '../../domain/accounts/credentials.ts';
import { listLogin } from '../../domain/accounts/logins.ts';
import { membershipOf } from '../../domain/accounts/membership.ts';
import type { Quota } from '../../domain/accounts/rate-limit.ts';
import { sessionEnded, sessionOpen } from '../../domain/accounts/sessions.ts';
import type { Caller } from '../../domain/deps.ts';
import { assertAllOn } from '../../domain/switches/switches.ts';
import { Credential, Login } from '../../table/entities/accounts.ts';
import { change, changeOrInspect } from '../../table/writes.ts';
import { switches } from '../bindings/switches.ts';
import { deps } from '../deps.ts';
import { countOnAccount } from './account-rate.ts';
import { type KeyCredentials, type LoginCredentials, type RequestCredentials, unknownKey } from './credentials.ts';
import { openLoginAccount } from './login.ts';
import { type Count, countAnonymous, countRequest, limitOf, Refusal, revertAt, throttlingTo429 } from './rate-limit.ts';

/** The authenticated caller of a request that is within the rate limit. */
export interface Identity {
  caller: Caller;
  quota: Quota;
  /** The time of the account's requested deletion, until which the operation is refused; undefined if it is allowed. */
  closesAt?: string | undefined;
}

/** The fields of a route that determine who may call it. */
type AccessRules = { access: Access } & Partial<
  Pick<Route, 'method' | 'right' | 'audit' | 'whileSuspended' | 'whileClosing'>
>;

/**
 * Identifies the caller of a request and counts the request, in one UpdateItem on the item of the key or login. It also checks that a
 * key has the route's access, and a login its right. Throws {@link Refusal} 401, 403 or 429 with the quota for the response
 * (specification, Authentication and Limits), and 503 if the account of a new login cannot be opened.
 */
export async function identify(credentials: RequestCredentials, route: AccessRules): Promise<Identity> {
  try {
    if (credentials.kind === 'invalid') throw credentials.error;
    return await (credentials.kind === 'login' ? identifyLogin(credentials, route) : identifyKey(credentials, route));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Logins cannot be verified at the moment. These requests are not guesses, so they are counted with the limit of a login.
    if (error.code === 'server_error')
      throw new Refusal(error, await countAnonymous(`outage ${credentials.network}`, limitOf('login')));
    if (error.code !== 'unauthorized') throw error;
    // Without valid credentials, the request is counted by network, so that guessing is limited too.
    throw new Refusal(error, await countAnonymous(credentials.network));
  }
}

async function identifyKey(credentials: KeyCredentials, route: AccessRules): Promise<Identity> {
  const { kind, sender: hash, origin } = credentials;
  const now = deps.now();
  const count: Count<Record<string, unknown>> = (update) => {
    const set = { ...update.set, lastUsedAt: now.toISOString() };
    const counted = change(Credential, { hash }, { ...update, set }, unknownKey);
    return throttlingTo429(limitOf(kind), deps.table.updateReturningChanged(counted, 'ALL_NEW'));
  };
  const { credential, quota } = await countOnAccount(hash, now, async () => {
    const { item, quota } = await countRequest(hash, limitOf(kind), now, count);
    const credential = Credential.parse(item);
    // Checked before the account is counted: a revoked key must not use up the rate of the account's other keys.
    await refuseCounted(quota, async () => {
      assertUsable(credential, origin, now);
      assertAllowed(credential, route.access);
    });
    return { credential, quota, revert: () => count(revertAt(now)) };
  });
  const { accountId, keyId, aiBudgetMicroRand } = credential;
  const budget = aiBudgetMicroRand === undefined ? {} : { aiBudgetMicroRand };
  return {
    caller: { accountId, keyId, ...budget },
    quota,
    closesAt: isChange(route) ? credential.closesAt : undefined,
  };
}

/** Runs a check on a counted request. Its errors become a {@link Refusal} with the request's quota. */
async function refuseCounted(quota: Quota, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    throw error instanceof ApiError ? new Refusal(error, quota) : error;
  }
}

function assertAllowed(credential: Credential, access: Access): void {
  if (access === 'catalogue' || access === 'hook' || access === 'none') return;
  if (credential.kind === 'public') {
    throw new ApiError('forbidden', 'A public key can only read the catalogue and the list of models.');
  }
  if (access !== 'any' && !credential.scopes.some((scope) => scope === access)) {
    throw new ApiError('insufficient_scope', `This key lacks the scope "${access}".`);
  }
}

class NoAccountYet extends Error {}

const operatorsOnly = () => new ApiError('forbidden', 'This needs a login with the role operator.');

/**
 * Counts a request on its login's item. The first request of a new login opens its account. Requests of an ended session are not
 * counted, because they would slow down the login's other sessions.
 */
async function countLogin({ session, token }: LoginCredentials): Promise<{ item: Login; quota: Quota }> {
  const { subject } = session;
  const count = () =>
    countRequest(`login ${subject}`, limitOf('login'), deps.now(), async (update) => {
      const counted = changeOrInspect(Login, { subject }, { ...update, when: sessionOpen(session) }, (login) =>
        login ? sessionEnded() : new NoAccountYet(),
      );
      const login = await throttlingTo429(limitOf('login'), deps.table.write(Login, counted));
      if (!login) throw new NoAccountYet();
      return login;
    });
  try {
    return await count();
  } catch (error) {
    if (!(error instanceof NoAccountYet)) throw error;
    assertAllOn(await switches(), ['sign-up', 'read-only']);
    await openLoginAccount(subject, token);
    return await count();
  }
}

/**
 * Identifies a login and its role in the account in which it acts. The login's item has the role, so the check needs no extra round
 * trip.
 */
async function identifyLogin(credentials: LoginCredentials, route: AccessRules): Promise<Identity> {
  const { session, account } = credentials;
  const { access, right, whileSuspended = false } = route;
  const { item, quota } = await countLogin(credentials);
  if (access === 'operator' && !session.isOperator) throw new Refusal(operatorsOnly(), quota);
  const membership = membershipOf(item, access === 'operator' ? undefined : account);
  if (!membership) throw new Refusal(notAMember(), quota);
  const { accountId, role } = membership;
  await refuseCounted(quota, async () => {
    if (!whileSuspended) assertNotSuspended(membership);
    if (right !== undefined && !hasRight(role, right)) throw new ApiError('forbidden', roleMessage(role, right));
    if (!whileSuspended && !item.listed) await listLogin(deps, item);
  });
  const { email } = item;
  const known = { ...(email ? { email } : {}), ...(account === undefined ? {} : { isNamed: true as const }) };
  const caller: Caller = { accountId, keyId: '', login: true, session, role, ...known };
  return { caller, quota, closesAt: access !== 'operator' && isChange(route) ? membership.closesAt : undefined };
}
