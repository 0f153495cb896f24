import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'wouter';
import { AuthRedirect } from './AuthRedirect.tsx';
import { useSession, useSessionState } from './context.ts';
import { SessionExpired } from './SessionExpired.tsx';

/** Renders its children for signed-in users and redirects everyone else to the login page. */
export function RequireAuth({ children }: { children: ReactNode }) {
  const session = useSession();
  const state = useSessionState();
  const [location] = useLocation();
  useEffect(() => {
    if (state === 'signedOut')
      void session.signIn({ returnTo: location + window.location.search + window.location.hash });
  }, [state, session, location]);
  if (state === 'signedOutElsewhere')
    return <AuthRedirect text="You are signed out" onSignIn={() => void session.signIn({ returnTo: location })} />;
  if (state === 'starting' || state === 'signedOut') return <AuthRedirect text="Redirecting to the login page…" />;
  return (
    <>
      {children}
      {state === 'expired' && <SessionExpired />}
    </>
  );
}
