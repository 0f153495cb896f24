import { ACCOUNT_PARAMETER, MEMBER_ROLES, type MemberRole } from '../../contract/roles.ts';
import { clearDrafts } from '../drafts.ts';

/**
 * The account that this tab acts in, and the login's role in it. Each tab keeps its choice in sessionStorage, whatever other tabs
 * choose. localStorage has the latest choice, with which new tabs begin.
 */
const ACCOUNT = 'account';
const ROLE = 'account-role';
/** `yes` if the account had no notices when they were last read. */
const QUIET = 'account-quiet';
/** Stored for the login's own account, whose id the first `getMe` of a page reports, and for a role that is not known yet. */
const NONE = '';

/** Returns the tab's value. The first call copies the value for new tabs into this one. */
function readForTab(name: string): string {
  const value = sessionStorage.getItem(name) ?? localStorage.getItem(name) ?? NONE;
  sessionStorage.setItem(name, value);
  return value;
}

/** Returns the id of the tab's account; undefined for the login's own. The first call fixes the account of the tab. */
export const chosenAccount = (): string | undefined => readForTab(ACCOUNT) || undefined;

/** Switches this tab to the account that the URL names, as links in emails do, and removes the account from the URL. */
export function followAccountLink(): void {
  const url = new URL(location.href);
  const id = url.searchParams.get(ACCOUNT_PARAMETER);
  if (id === null) return;
  url.searchParams.delete(ACCOUNT_PARAMETER);
  history.replaceState(null, '', url);
  // Any other text must not reach the request header.
  if (!/^acc_\w+$/.test(id) || id === readForTab(ACCOUNT)) return;
  clearDrafts();
  enterAccount(id);
}

/** Switches only this tab to an account. The role in it is not known yet. */
function enterAccount(id: string): void {
  sessionStorage.setItem(ACCOUNT, id);
  sessionStorage.setItem(ROLE, NONE);
  sessionStorage.setItem(QUIET, NONE);
}

/** Switches this tab to the login's own account, and new tabs too if they would begin in the account that it leaves. */
export function leaveAccount(): void {
  clearDrafts();
  if (localStorage.getItem(ACCOUNT) === readForTab(ACCOUNT)) chooseAccount();
  else enterAccount(NONE);
}

/** Chooses an account for this tab and for new ones. */
export function chooseAccount(id = NONE, role: MemberRole | typeof NONE = NONE): void {
  const choice = { [ACCOUNT]: id, [ROLE]: role, [QUIET]: NONE };
  for (const [name, value] of Object.entries(choice)) {
    sessionStorage.setItem(name, value);
    if (value === NONE) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  }
}

/** Returns the role that the API reported last; undefined before its first report. */
export function knownRole(): MemberRole | undefined {
  const role = readForTab(ROLE);
  return MEMBER_ROLES.find((known) => known === role);
}

/** Stores the role for screens that do not read it, and for new tabs if they begin in this account. */
export const rememberRole = (role: MemberRole): void => remember(ROLE, role);

/** Returns true if the account had no notices when the API last reported them. */
export const wasQuiet = (): boolean => readForTab(QUIET) === 'yes';

/** Stores whether the account has no notices, like {@link rememberRole}. */
export const rememberQuiet = (isQuiet: boolean): void => remember(QUIET, isQuiet ? 'yes' : NONE);

function remember(name: string, value: string): void {
  sessionStorage.setItem(name, value);
  if ((localStorage.getItem(ACCOUNT) ?? NONE) === readForTab(ACCOUNT)) localStorage.setItem(name, value);
}
