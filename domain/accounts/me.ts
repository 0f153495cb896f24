import type { getMe as getMeRoute } from '../../contract/accounts/me.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Output } from '../../contract/route.ts';
import { Login } from '../../table/entities/accounts.ts';
import { AiAccount } from '../../table/entities/ai.ts';
import { SwitchState } from '../../table/entities/switches.ts';
import type { Caller, Deps } from '../deps.ts';
import { noticesOf } from '../switches/switches.ts';
import { getAccount } from './accounts.ts';
import { membershipOf, membershipsOf } from './membership.ts';
import { readInbox } from './notifications.ts';

/** GET /dashboard/v1/me. Roles come from the login's item, except `operator`, which comes from the issuer. */
export async function getMe(deps: Deps, caller: Caller): Promise<Output<typeof getMeRoute>> {
  const { session, role } = caller;
  if (!session || !role) throw new ApiError('unauthorized');
  const { subject, isOperator } = session;
  const [{ data: account }, ai, state, login, inbox] = await Promise.all([
    getAccount(deps, caller),
    deps.table.get(AiAccount, { accountId: caller.accountId }),
    deps.table.get(SwitchState, {}),
    deps.table.get(Login, { subject }),
    readInbox(deps, caller),
  ]);
  if (!login) throw new ApiError('unauthorized');
  const roles: Output<typeof getMeRoute>['data']['roles'] = isOperator ? [role, 'operator'] : [role];
  const suspensionReason = membershipOf(login, caller.accountId)?.suspended ?? null;
  const accounts = membershipsOf(login).map(({ accountId: id, role, accountName }) => ({
    id,
    role,
    name: id === account.id ? account.name : (accountName ?? id),
  }));
  const notices = noticesOf(state?.off ?? {});
  const { email = null } = login;
  const unreadNotifications = inbox.notifications.filter(({ isRead }) => !isRead).length;
  return {
    data: {
      account,
      suspensionReason,
      roles,
      login: { id: subject, email },
      accounts,
      unreadNotifications,
      hasAiCredits: (ai?.balanceMicroRand ?? 0) > 0,
      notices,
    },
  };
}
