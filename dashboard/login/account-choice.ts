import { ACCOUNT_PARAMETER, MEMBER_ROLES, type MemberRole } from '../../contract/roles.ts';
import { clearDrafts } from '../drafts.ts';

/**
 * The account that this tab acts in, and the login's role in it. The tab keeps both in sessionStorage, whatever other tabs choose;
 * localStorage has the account that was chosen last, in which new tabs begin.
 */
const ACCOUNT = 'account';
const ROLE = 'account-role';
/** Stored for the tab in place of the id of the login's own account, which the first `getMe` of a page says, and of a role that is not known yet. */
const NONE = '';

/** Returns the tab's value, and keeps it for the tab. */
function keep(name: string): string {
  const value = sessionStorage.getItem(name) ?? localStorage.getItem(name) ?? NONE;
  sessionStorage.setItem(name, value);
  return value;
}

/** Returns the id of the tab's account; undefined for the login's own. The first call decides for the tab. */
export const chosenAccount = (): string | undefined => keep(ACCOUNT) || undefined;

/** Takes the account that the page's address names, as links of emails do, out of the address and for this tab. */
export function followAccountLink(): void {
  const url = new URL(location.href);
  const id = url.searchParams.get(ACCOUNT_PARAMETER);
  if (id === null) return;
  url.searchParams.delete(ACCOUNT_PARAMETER);
  history.replaceState(null, '', url);
  // Anything else is nothing that a header may hold.
  if (!/^acc_\w+$/.test(id) || id === keep(ACCOUNT)) return;
  clearDrafts();
  enter(id);
}

/** Acts in an account in this tab only; its role is not known yet. */
function enter(id: string): void {
  sessionStorage.setItem(ACCOUNT, id);
  sessionStorage.setItem(ROLE, NONE);
}

/** Returns this tab to the login's own account, and new ones if they begin in the account that it leaves. */
export function leaveAccount(): void {
  if (localStorage.getItem(ACCOUNT) === keep(ACCOUNT)) chooseAccount();
  else enter(NONE);
}

/** Chooses an account for this tab and for new ones. */
export function chooseAccount(id = NONE, role: MemberRole | typeof NONE = NONE): void {
  const choice = { [ACCOUNT]: id, [ROLE]: role };
  for (const [name, value] of Object.entries(choice)) {
    sessionStorage.setItem(name, value);
    if (value === NONE) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  }
}

/** Returns the role as the API last reported it; undefined before it did. */
export function knownRole(): MemberRole | undefined {
  const role = keep(ROLE);
  return MEMBER_ROLES.find((each) => each === role);
}

/** Keeps the role for screens that do not read it, and for new tabs if they begin in this account. */
export function rememberRole(role: MemberRole): void {
  sessionStorage.setItem(ROLE, role);
  if ((localStorage.getItem(ACCOUNT) ?? NONE) === keep(ACCOUNT)) localStorage.setItem(ROLE, role);
}
