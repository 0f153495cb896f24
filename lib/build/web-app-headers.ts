/**
 * Returns the security headers of every response with a dashboard file, on AWS and in the local run.
 *
 * @param origins origins that the app may send requests to besides its own: the login issuer and its endpoints
 */
export const webAppHeaders = (origins: readonly string[]): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    // Mantine writes its theme's variables into a style element. A nonce would need a page rendered per request.
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

/** Path of files with a content hash in their names. They never change. */
export const WEB_APP_ASSETS = '/dashboard/assets/';
export const CACHE_IMMUTABLE = 'public, max-age=31536000, immutable';
/** For the page and its settings: the browser revalidates each time and receives 304 if nothing changed. */
export const CACHE_NEVER = 'no-cache';
