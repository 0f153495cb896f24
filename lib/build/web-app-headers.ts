/**
 * What every answer of the dashboard's files says of its safety, on AWS and on one machine alike.
 *
 * @param origins where the app may send requests besides its own address: the issuer of logins and its endpoints
 */
export const webAppHeaders = (origins: readonly string[]): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    // Mantine puts its theme's variables into a style element; a nonce needs a page that is made for each request.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...origins].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
});

/** Files under this path have their content's hash in their name: they never change. */
export const WEB_APP_ASSETS = '/dashboard/assets/';
export const CACHE_FOR_EVER = 'public, max-age=31536000, immutable';
/** The page itself, and the settings: asked for again each time, answered 304 where nothing has changed. */
export const CACHE_NEVER = 'no-cache';
