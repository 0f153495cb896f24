import * as z from 'zod/mini';
import { route } from '../route.ts';

/** Headers of the pages behind the links in emails. They load nothing, and their form is sent to their own address. */
export const UNSUBSCRIBE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/**
 * A link's token has some 180 characters. Its parts are looked up before its signature can be verified: decoded, with three bytes
 * for each that is no text, the longest still fits a key of the table (1,024 bytes).
 */
const params = () => z.object({ token: z.string().check(z.minLength(1), z.maxLength(400)) });
const path = '/hooks/mail/unsubscribe/{token}';
const common = { path, access: 'hook', tag: 'Account', params } as const;

export const showUnsubscribe = /* @__PURE__ */ route({
  ...common,
  id: 'showUnsubscribe',
  method: 'GET',
  summary: 'Show what a link in an email switches off; it changes nothing',
});

export const unsubscribe = /* @__PURE__ */ route({
  ...common,
  id: 'unsubscribe',
  method: 'POST',
  summary: 'Switch a kind of emails off by the link in one of them, without signing in (RFC 8058)',
  audit: { because: 'it changes only what one login is sent' },
});
