import type { getMe } from '../../contract/accounts/me.ts';
import type { Output } from '../../contract/route.ts';
import { useMe } from '../api/use-me.ts';
import { clearDrafts } from '../drafts.ts';
import { chooseAccount } from '../login/account-choice.ts';
import { useSession } from '../login/context.ts';

type Account = Output<typeof getMe>['data']['accounts'][number];

/** Reloads the dashboard in another account, without the cache and the drafts of this one. */
function switchTo({ id, role }: Account, ownId: string | undefined): void {
  clearDrafts();
  chooseAccount(id === ownId ? undefined : id, role);
  window.location.assign(import.meta.env.BASE_URL);
}

/** The signed-in user, the accounts to switch between and the sign-out button, in a native popover: Escape and a click outside close it. */
export function AccountMenu() {
  const session = useSession();
  const me = useMe();
  const { accounts = [], account } = me.data?.data ?? {};
  const hasChoice = account !== undefined && accounts.length > 1;
  // A user of several accounts must see which one is current.
  const shown = hasChoice ? account.name : session.email;
  return (
    <>
      <button
        type="button"
        className="header-button account-button"
        popoverTarget="account-menu"
        aria-label={`Account ${shown}`}
      >
        {shown || 'Account'}
      </button>
      <div id="account-menu" popover="auto" className="account-menu">
        {hasChoice && <small>{session.email}</small>}
        {hasChoice &&
          accounts.map((option) => (
            <button
              key={option.id}
              type="button"
              aria-current={option.id === account.id ? 'true' : undefined}
              onClick={() => switchTo(option, accounts[0]?.id)}
            >
              {option.name} ({option.role})
            </button>
          ))}
        <a href="/docs" target="_blank" rel="noreferrer">
          API reference
        </a>
        <button type="button" onClick={() => void session.signOut()}>
          Sign out
        </button>
      </div>
    </>
  );
}
