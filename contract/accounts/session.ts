import { Deleted } from '../envelope.ts';
import { route } from '../route.ts';

/** Validity of an access token in seconds. */
export const ACCESS_TOKEN_S = 3600;

/**
 * Addresses on the user's own machine to which the command line's sign-in returns (`cli/login/`). Several, because a port may be
 * in use; fixed, because Cognito compares them letter by letter.
 */
export const LOOPBACK_CALLBACKS = [8971, 8972, 8973, 8974, 8975].map((port) => `http://localhost:${port}/callback`);

export const deleteSession = /* @__PURE__ */ route({
  id: 'deleteSession',
  method: 'DELETE',
  path: '/dashboard/v1/session',
  access: 'login',
  right: 'member',
  audit: 'session.ended',
  whileClosing: true,
  whileReadOnly: true,
  summary: 'Sign out: end the session that the access token belongs to',
  tag: 'Account',
  response: Deleted,
  // The session ends for good: a suspension may be lifted while copies of its token are still valid.
  whileSuspended: true,
});

/** Group of the user pool whose members are operators of the platform. Tokens name the groups of their login. */
export const OPERATOR_GROUP = 'operator';

/** Client of the user pool with which operators set up a second factor (scripts/operate/second-factor.ts). */
export const SECOND_FACTOR_CLIENT = 'second-factor';
