import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { AuthRedirect } from './AuthRedirect.tsx';
import { useSessionState } from './context.ts';
import { SessionExpired } from './SessionExpired.tsx';
import { SignIn } from './SignIn.tsx';

/** Renders its children for signed-in users and redirects everyone else to the login page. */
export function RequireAuth({ children }: { children: ReactNode }) {
  const state = useSessionState();
  const [location] = useLocation();
  switch (state) {
    case 'starting':
      return <AuthRedirect text="Redirecting to the login page…" />;
    case 'leaving':
      return <AuthRedirect text="Signing you in…" />;
    case 'signedOut':
      return <SignIn key={state} returnTo={location + window.location.search + window.location.hash} />;
    case 'signedOutElsewhere':
      return <SignIn key={state} text="You are signed out" returnTo={location} />;
    case 'signedOutHere': {
      const why =
        'The login page could not be reached and may still remember you. On a shared computer, sign in and sign out again.';
      return <SignIn key={state} text="You are signed out" why={why} />;
    }
    default:
      return (
        <>
          {children}
          {state === 'expired' && <SessionExpired />}
        </>
      );
  }
}
