import { MEMBER_ROLES, type MemberRole } from '../../contract/roles.ts';

/**
 * The account that this tab acts in, where it is not the login's own, and the role in it. New tabs begin in the account that was chosen
 * last.
 */
const ACCOUNT = 'account';
const ROLE = 'account-role';

const read = (name: string): string | undefined =>
  sessionStorage.getItem(name) ?? localStorage.getItem(name) ?? undefined;

function write(name: string, value: string | undefined): void {
  for (const store of [sessionStorage, localStorage]) {
    if (value === undefined) store.removeItem(name);
    else store.setItem(name, value);
  }
}

/** Returns the id of the chosen account; undefined for the login's own. */
export function chosenAccount(): string | undefined {
  const id = read(ACCOUNT);
  // The tab keeps its account when another tab chooses one.
  if (id !== undefined) sessionStorage.setItem(ACCOUNT, id);
  return id;
}

/** Chooses an account for this tab and for new ones. */
export function chooseAccount(id: string | undefined, role?: MemberRole): void {
  write(ACCOUNT, id);
  write(ROLE, role);
}

/** Returns the role as the API last reported it; undefined before it did. */
export function knownRole(): MemberRole | undefined {
  const role = read(ROLE);
  return MEMBER_ROLES.find((each) => each === role);
}

/** Keeps the role for screens that do not read it. */
export const rememberRole = (role: MemberRole): void => write(ROLE, role);
