import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'wouter';
import { useSession, useSessionState } from '../api/context.ts';
import { Passage } from './AuthRedirect.tsx';
import { SessionEnded } from './SessionExpired.tsx';

/** Lets in who is signed in, and sends everybody else to the login page. */
export function Gate({ children }: { children: ReactNode }) {
  const session = useSession();
  const state = useSessionState();
  const [location] = useLocation();
  useEffect(() => {
    if (state === 'signedOut') void session.signIn({ returnTo: location + window.location.search });
  }, [state, session, location]);
  if (state === 'left')
    return <Passage text="You are signed out" go={() => void session.signIn({ returnTo: location })} />;
  if (state === 'starting' || state === 'signedOut') return <Passage text="Taking you to the login page" />;
  return (
    <>
      {children}
      {state === 'ended' && <SessionEnded />}
    </>
  );
}
