import { html } from '../../../contract/reference/html.ts';

/** Pages of the local login: plain forms that work without JavaScript, by keyboard and with a screen reader. */

const STYLE = `:root{color-scheme:light dark;--ink:#1a1f29;--paper:#fff;--line:#8a94a3;--accent:#0b6e69;--bad:#9b2226}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ee;--paper:#14171c;--line:#7c8796;--accent:#6bc6bb;--bad:#ff9b9b}}
body{font:16px/1.5 system-ui,sans-serif;margin:0;padding:2rem 1rem;color:var(--ink);background:var(--paper)}
main{max-width:22rem;margin:4rem auto}label{display:block;margin-top:1rem}
input{box-sizing:border-box;width:100%;font:inherit;padding:.55rem .6rem;border:1px solid var(--line);border-radius:6px;background:transparent;color:inherit}
button{margin-top:1.5rem;width:100%;font:inherit;font-weight:600;padding:.6rem;border:0;border-radius:6px;background:var(--accent);color:var(--paper);cursor:pointer}
a{color:var(--accent)}:focus-visible{outline:2px solid var(--accent);outline-offset:2px}[role=alert]{color:var(--bad);margin:1rem 0 0}small{display:block}`;

const page = (title: string, body: string) => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1>${body}</main></body></html>`;

/** The submitted values and the error message. */
export interface Attempt {
  email?: string;
  name?: string;
  problem?: string;
}

const field = (name: string, label: string, attributes: string, value = '') =>
  `<label for="${name}">${label}</label><input id="${name}" name="${name}" value="${html(value)}" required ${attributes}>`;
const alert = (problem: string | undefined) => (problem ? `<p role="alert">${html(problem)}</p>` : '');

export const PASSWORD_LENGTH = 12;

export const signInPage = ({ email, problem }: Attempt) =>
  page(
    'Sign in',
    `${alert(problem)}<form method="post">
${field('email', 'Email address', 'type="email" autocomplete="username" autofocus', email)}
${field('password', 'Password', 'type="password" autocomplete="current-password"')}
<button>Sign in</button></form><p>New here? <a href="?sign-up">Create an account</a></p>`,
  );

export const signUpPage = ({ email, name, problem }: Attempt) =>
  page(
    'Create an account',
    `${alert(problem)}<form method="post" action="?sign-up">
${field('name', 'Your name', 'autocomplete="name" maxlength="100" autofocus', name)}
${field('email', 'Email address', 'type="email" autocomplete="username"', email)}
${field('password', 'Password', `type="password" autocomplete="new-password" minlength="${PASSWORD_LENGTH}" aria-describedby="long"`)}
<small id="long">At least ${PASSWORD_LENGTH} characters</small>
<button>Create account</button></form><p>Have one already? <a href="?">Sign in</a></p>`,
  );

export const errorPage = (description: string) =>
  page('Sign-in failed', `<p>${html(description)}</p><p><a href="/dashboard/">Back to the dashboard</a></p>`);

export const signedOutPage = () => page('Signed out', '<p><a href="/dashboard/">Sign in again</a></p>');

/** Ends the session immediately, without confirmation, as Cognito does. `form` is oidc-provider's form. */
export const signOutPage = (form: string) =>
  page(
    'Signing out',
    `${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button>
<script>document.querySelector('button').click()</script>`,
  );
