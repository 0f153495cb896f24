import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { AuthRedirect } from './AuthRedirect.tsx';
import { useSession } from './context.ts';
import { SignIn } from './SignIn.tsx';

/** Receives the browser from the login page: exchanges the code and navigates to the original URL. */
export function Callback() {
  const session = useSession();
  const [, navigate] = useLocation();
  const [outcome, setOutcome] = useState<'busy' | 'failed' | 'close'>('busy');
  // A code is valid once, and React may run an effect twice.
  const hasStarted = useRef(false);
  useEffect(() => {
    if (hasStarted.current) return;
    hasStarted.current = true;
    session.completeSignIn().then(
      ({ returnTo, isPopup }) => {
        if (!isPopup) return navigate(returnTo, { replace: true });
        setOutcome('close');
        window.close();
      },
      () => setOutcome('failed'),
    );
  }, [session, navigate]);
  if (outcome === 'close') return <AuthRedirect text="You are signed in. You can close this window." />;
  if (outcome === 'busy') return <AuthRedirect text="Signing you in…" />;
  const why = 'The sign-in failed or this link has expired. Sign in again to continue.';
  return <SignIn text="You are not signed in" why={why} />;
}
