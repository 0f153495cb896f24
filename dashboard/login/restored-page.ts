import { chosenAccount } from './account-choice.ts';
import type { Session } from './session.ts';

/**
 * Brings a page up to date that Back or Forward shows as it was left: browsers keep it, and report nothing to it meanwhile. It
 * hides what a login read that has signed out since. A page that was going to the login page, and one of an account that
 * the tab has left, is loaded again.
 */
export function followRestores(session: Session): void {
  const account = chosenAccount();
  window.addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    const wasSignedIn = session.state === 'signedIn';
    session.load();
    const isSignedIn = session.state === 'signedIn';
    if (isSignedIn ? account !== chosenAccount() : !wasSignedIn) location.reload();
  });
}
