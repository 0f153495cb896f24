import { chosenAccount } from './account-choice.ts';
import type { Session } from './session.ts';

/**
 * Updates a page that Back or Forward restores from the browser's cache, where it received no storage events. If the login has
 * signed out since, its data is hidden. A page that was redirecting to the login page, or whose account the tab has left, is reloaded.
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
