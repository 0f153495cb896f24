import { createContext, useContext, useEffect } from 'react';
import { hasRight, MEMBER_ROLES, type MemberRole, type Right, roleMessage } from '../../contract/roles.ts';
import { knownRole, rememberRole } from '../login/account-choice.ts';
import { useMe } from './use-me.ts';

/** The right that changes in this part of the screen require, unless a button names another one. */
export const RightContext = createContext<Right>('member');

/** The role of the login. Each screen reads it once: a query subscription for every button made long lists slow. */
export const RoleContext = createContext<MemberRole>('owner');

/** Returns the role of the login in the current account. It decides what is shown; the API decides what is allowed. */
export function useRole(): MemberRole {
  const me = useMe();
  const roles: readonly string[] = me.data?.data.roles ?? [];
  const role = MEMBER_ROLES.find((known) => roles.includes(known));
  useEffect(() => {
    if (role) rememberRole(role);
  }, [role]);
  return role ?? knownRole() ?? 'owner';
}

/** Returns a message that says why the role does not allow a change here; undefined if it allows it. */
export function useRefusal(right?: Right): string | undefined {
  const area = useContext(RightContext);
  const role = useContext(RoleContext);
  const needed = right ?? area;
  return hasRight(role, needed) ? undefined : roleMessage(role, needed);
}
