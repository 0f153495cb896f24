import * as z from 'zod/mini';
import { route } from '../route.ts';

/** Headers of the pages behind the links in emails. A page loads nothing, and submits its form to the URL that it was loaded from. */
export const UNSUBSCRIBE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/**
 * A token has about 180 characters. Its parts are looked up before its signature can be verified. Even the longest token allowed
 * here, decoded with three bytes for each invalid one, fits a key of the table (1,024 bytes).
 */
const params = () => z.object({ token: z.string().check(z.minLength(1), z.maxLength(400)) });
const path = '/hooks/mail/unsubscribe/{token}';
const common = { path, access: 'hook', tag: 'Account', params } as const;

export const showUnsubscribe = /* @__PURE__ */ route({
  ...common,
  id: 'showUnsubscribe',
  method: 'GET',
  summary: 'Show which emails a link switches off, without changing anything',
});

export const unsubscribe = /* @__PURE__ */ route({
  ...common,
  id: 'unsubscribe',
  method: 'POST',
  summary: 'Switch off one kind of email by the link in such an email, without signing in (RFC 8058)',
  audit: { because: 'it changes only the emails of one login' },
});
