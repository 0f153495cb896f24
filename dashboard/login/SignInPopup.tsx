import { SignIn } from './SignIn.tsx';

/** Popup in which the user signs in again while the page behind it keeps its input. */
export const SignInPopup = () => <SignIn isPopup />;
