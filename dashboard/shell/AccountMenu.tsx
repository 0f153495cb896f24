import { useSession } from '../login/context.ts';

/** The signed-in user and the sign-out button, in a native popover: Escape and a click outside close it. */
export function AccountMenu() {
  const session = useSession();
  return (
    <>
      <button
        type="button"
        className="header-button"
        popoverTarget="account-menu"
        aria-label={`Account ${session.email}`}
      >
        {session.email || 'Account'}
      </button>
      <div id="account-menu" popover="auto" className="account-menu">
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
