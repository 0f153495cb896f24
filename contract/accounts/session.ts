import { Deleted } from '../envelope.ts';
import { route } from '../route.ts';

/** Validity of an access token in seconds. */
export const ACCESS_TOKEN_S = 3600;

/**
 * Callback URLs on the user's machine for the sign-in of the command line (`cli/login/`). There are several, because a port may
 * be in use. They are fixed, because Cognito compares whole URLs.
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
  // The session must end even during a suspension: the suspension may be lifted while copies of its token are still valid.
  whileSuspended: true,
});

/** The group of the user pool whose members are operators. A token names the groups of its login. */
export const OPERATOR_GROUP = 'operator';

/** The user pool client with which operators set up a second factor (scripts/operate/second-factor.ts). */
export const SECOND_FACTOR_CLIENT = 'second-factor';
