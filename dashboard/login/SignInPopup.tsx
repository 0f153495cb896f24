import { useEffect } from 'react';
import { AuthRedirect } from './AuthRedirect.tsx';
import { useSession } from './context.ts';

/** Popup in which the user signs in again while the page behind it keeps its input. */
export function SignInPopup() {
  const session = useSession();
  useEffect(() => {
    void session.signIn({ isPopup: true });
  }, [session]);
  return <AuthRedirect text="Redirecting to the login page…" />;
}
