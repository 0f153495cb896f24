import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { type Attempt, errorPage, PASSWORD_LENGTH, signInPage, signUpPage } from './pages.ts';
import { MAX_USERNAME_LENGTH } from './user-pool.ts';
import type { User, Users } from './users.ts';

/** Characters after which no more of a form is read. */
const MAX_FORM_LENGTH = 10_000;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

const sendPage = (response: ServerResponse, status: number, page: string): void => {
  response.writeHead(status, HEADERS).end(page);
};

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) if (text.length < MAX_FORM_LENGTH) text += chunk;
  return new URLSearchParams(text);
}

/** Signs the user in or up. Returns the user, or an error message. */
async function attempt(users: Users, form: URLSearchParams, signingUp: boolean): Promise<User | string> {
  const email = form.get('email')?.trim() ?? '';
  const name = form.get('name')?.trim() ?? '';
  const password = form.get('password') ?? '';
  if (!signingUp) return (await users.signIn(email, password)) ?? 'The email address or the password is wrong.';
  if (name === '') return 'Enter your name.';
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) return 'Enter a valid email address.';
  if (email.length > MAX_USERNAME_LENGTH)
    return `The email address may have at most ${MAX_USERNAME_LENGTH} characters.`;
  if (password.length < PASSWORD_LENGTH) return `The password must have at least ${PASSWORD_LENGTH} characters.`;
  return (
    (await users.add({ email, password, name })) ??
    'An account with this email address already exists. Sign in instead.'
  );
}

/** Handles the sign-in and sign-up page and its form. */
export async function handleInteraction(
  provider: Provider,
  users: Users,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const details = await provider.interactionDetails(request, response).catch(() => undefined);
  if (!details) return sendPage(response, 400, errorPage('This page has expired, or was opened in another browser.'));
  const signingUp = /\?sign-up$/.test(request.url ?? '');
  const page = signingUp ? signUpPage : signInPage;
  if (request.method !== 'POST') {
    request.resume();
    const { login_hint: hint } = details.params;
    return sendPage(response, 200, page(typeof hint === 'string' ? { email: hint } : {}));
  }
  const form = await readForm(request);
  const user = await attempt(users, form, signingUp);
  if (typeof user === 'string') {
    const input: Attempt = { email: form.get('email') ?? '', name: form.get('name') ?? '', problem: user };
    return sendPage(response, 400, page(input));
  }
  await provider.interactionFinished(request, response, { login: { accountId: user.subject } });
}
