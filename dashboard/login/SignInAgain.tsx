import { useEffect } from 'react';
import { useSession } from '../api/context.ts';
import { Passage } from './AuthRedirect.tsx';

/** The window in which somebody signs in again, while the page behind it keeps what was typed. */
export function SignInAgain() {
  const session = useSession();
  useEffect(() => {
    void session.signIn({ closes: true });
  }, [session]);
  return <Passage text="Taking you to the login page" />;
}
