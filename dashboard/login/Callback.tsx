import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useSession } from '../api/context.ts';
import { Passage } from './Passage.tsx';

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
  const failed = outcome === 'failed' ? () => void session.signIn({}) : undefined;
  return <Passage text={failed ? 'You are not signed in' : 'Signing you in'} failed={failed} />;
}
