import { useEffect, useState } from 'react';
import { loadPage } from '../load-page.ts';
import { AuthRedirect } from './AuthRedirect.tsx';
import { useSession } from './context.ts';

interface SignInProps {
  /** Path within the dashboard to open after signing in. */
  returnTo?: string;
  /** True in the popup, which closes after signing in. */
  isPopup?: boolean;
  /** Heading of a page that waits for the user's click. Without it, the redirect begins immediately. */
  text?: string;
  why?: string;
}

/** Redirects to the login page. If that fails, says so and offers to try again. */
export function SignIn({ returnTo = '/', isPopup = false, text, why = '' }: SignInProps) {
  const session = useSession();
  const [step, setStep] = useState<'offered' | 'redirecting' | 'failed' | 'reloading'>(
    text === undefined ? 'redirecting' : 'offered',
  );
  const fail = () => setStep('failed');
  useEffect(() => {
    if (step === 'redirecting') session.signIn({ returnTo, isPopup }).catch(() => setStep('failed'));
  }, [session, step, returnTo, isPopup]);
  const tryAgain = () => {
    setStep('reloading');
    loadPage().catch(fail);
  };
  if (step === 'offered') return <AuthRedirect text={text ?? ''} why={why} onAction={() => setStep('redirecting')} />;
  if (step === 'failed')
    return (
      <AuthRedirect
        text="The login page could not be opened"
        why="Check your connection and try again."
        action="Try again"
        onAction={tryAgain}
      />
    );
  return <AuthRedirect text="Redirecting to the login page…" />;
}
