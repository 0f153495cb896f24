import { getMe } from '../../contract/accounts/me.ts';
import type { Output } from '../../contract/route.ts';
import { useApiQuery } from '../api/use-api-query.ts';
import { clearDrafts } from '../drafts.ts';
import { chooseAccount } from '../login/account-choice.ts';
import { useSession } from '../login/context.ts';

type Account = Output<typeof getMe>['data']['accounts'][number];

/** Opens the dashboard in another account. Nothing of this one is kept: not the cache, nor drafts. */
function switchTo({ id, role }: Account, own: string | undefined): void {
  clearDrafts();
  chooseAccount(id === own ? undefined : id, role);
  window.location.assign(import.meta.env.BASE_URL);
}

/** The signed-in user, the accounts to switch between and the sign-out button, in a native popover: Escape and a click outside close it. */
export function AccountMenu() {
  const session = useSession();
  const me = useApiQuery(getMe);
  const { accounts = [], account } = me.data?.data ?? {};
  const hasChoice = account !== undefined && accounts.length > 1;
  // Of several accounts, the one that is acted in has to be in sight.
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
          accounts.map((each) => (
            <button
              key={each.id}
              type="button"
              aria-current={each.id === account.id ? 'true' : undefined}
              onClick={() => switchTo(each, accounts[0]?.id)}
            >
              {each.name} ({each.role})
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
