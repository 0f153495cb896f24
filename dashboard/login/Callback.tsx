import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useSession } from '../api/context.ts';
import { Passage } from './AuthRedirect.tsx';

/** Where the login page sends the browser back to: takes the code, and goes on where the person wanted to be. */
export function Callback() {
  const session = useSession();
  const [, navigate] = useLocation();
  const [outcome, setOutcome] = useState<'busy' | 'failed' | 'close'>('busy');
  // A code is good once, and React may run an effect twice.
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    session.complete().then(
      ({ returnTo, closes }) => {
        if (!closes) return navigate(returnTo, { replace: true });
        setOutcome('close');
        window.close();
      },
      () => setOutcome('failed'),
    );
  }, [session, navigate]);
  if (outcome === 'close') return <Passage text="You are signed in. This window can be closed." />;
  if (outcome === 'busy') return <Passage text="Signing you in" />;
  const why = 'The login did not go through, or this page is an old one.';
  return <Passage text="You are not signed in" why={why} go={() => void session.signIn({})} />;
}
