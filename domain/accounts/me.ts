import type { getMe as getMeRoute } from '../../contract/accounts/me.ts';
import type { Output } from '../../contract/route.ts';
import { AiAccount } from '../../table/entities/ai.ts';
import { SwitchState } from '../../table/entities/switches.ts';
import type { Caller, Deps } from '../deps.ts';
import { noticesOf } from '../switches/switches.ts';
import { getAccount } from './accounts.ts';

/** GET /dashboard/v1/me. Every login is the owner of its account; the issuer says who is an operator. */
export async function getMe(deps: Deps, caller: Caller): Promise<Output<typeof getMeRoute>> {
  const [{ data: account }, ai, state] = await Promise.all([
    getAccount(deps, caller),
    deps.table.get(AiAccount, { accountId: caller.accountId }),
    deps.table.get(SwitchState, {}),
  ]);
  const roles: Output<typeof getMeRoute>['data']['roles'] = caller.session?.isOperator
    ? ['owner', 'operator']
    : ['owner'];
  const notices = noticesOf(state?.off ?? {});
  return { data: { account, roles, hasAiCredits: (ai?.balanceMicroRand ?? 0) > 0, notices } };
}
