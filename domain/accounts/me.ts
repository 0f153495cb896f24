import type { getMe as getMeRoute } from '../../contract/accounts/me.ts';
import type { Output } from '../../contract/route.ts';
import type { Caller, Deps } from '../deps.ts';
import { getAccount } from './accounts.ts';

/** GET /dashboard/v1/me. Every login is the owner of its account; the issuer says who is an operator. */
export async function getMe(deps: Deps, caller: Caller): Promise<Output<typeof getMeRoute>> {
  const { data: account } = await getAccount(deps, caller);
  return { data: { account, roles: caller.session?.isOperator ? ['owner', 'operator'] : ['owner'] } };
}
