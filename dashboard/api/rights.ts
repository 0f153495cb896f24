import { createContext, useContext, useEffect } from 'react';
import { getMe } from '../../contract/accounts/me.ts';
import { hasRight, MEMBER_ROLES, type MemberRole, type Right, roleMessage } from '../../contract/roles.ts';
import { knownRole, rememberRole } from '../login/account-choice.ts';
import { useApiQuery } from './use-api-query.ts';

/** The right that changes on a part of the screen need, unless a button names another. */
export const RightContext = createContext<Right>('member');

/** The role of the login. Read once for a screen: each button of a list with a subscription of its own slowed the list down. */
export const RoleContext = createContext<MemberRole>('owner');

/** Returns the role of the login in the current account. It decides what is shown; the API decides what is allowed. */
export function useRole(): MemberRole {
  const me = useApiQuery(getMe);
  const roles: readonly string[] = me.data?.data.roles ?? [];
  const role = MEMBER_ROLES.find((each) => roles.includes(each));
  useEffect(() => {
    if (role) rememberRole(role);
  }, [role]);
  return role ?? knownRole() ?? 'owner';
}

/** Returns the sentence why the role does not allow a change here; undefined if it does. */
export function useRefusal(right?: Right): string | undefined {
  const area = useContext(RightContext);
  const role = useContext(RoleContext);
  const needed = right ?? area;
  return hasRight(role, needed) ? undefined : roleMessage(role, needed);
}
