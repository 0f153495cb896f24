import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { memoize } from '../../contract/memoize.ts';
import { tolerate } from '../aws-errors.ts';

/** A user of the issuer of logins. */
export interface PoolUser {
  /** The `sub` of the user’s tokens. */
  subject: string;
  createdAt: Date;
}

/** The users of the issuer of logins. */
export interface Users {
  /** Deletes a user, which also ends the user's sessions. A missing user is not an error. */
  remove(subject: string): Promise<void>;
  /** Returns true if a user with this `sub` exists. */
  exists(subject: string): Promise<boolean>;
  /**
   * Returns the user with an email address; creates the user if there is none. Deletes an unconfirmed sign-up with the address first,
   * because anyone may have made it. Sends no email: the person sets a password through the reset for forgotten passwords.
   */
  ensure(person: { email: string; name?: string | undefined }): Promise<PoolUser>;
}

type Call = (
  operation: 'AdminDeleteUser' | 'AdminGetUser' | 'AdminCreateUser' | 'AdminSetUserPassword',
  input: object,
) => Promise<unknown>;

const Attributes = memoize(() => z.array(z.object({ Name: z.string(), Value: z.optional(z.string()) })));
const GetUser = memoize(() =>
  z.object({
    UserAttributes: Attributes(),
    UserStatus: z.string(),
    /** Unix time in seconds. */
    UserCreateDate: z.number(),
  }),
);

/** Maximum attempts, in case other callers create and delete the user at the same time. */
const MAX_ATTEMPTS = 3;

/**
 * Cognito implementation. A user's `sub` or email address can replace the user name, which Cognito generates if people sign in with their
 * email address
 * (https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminGetUser.html).
 */
export function createUsers(call: Call, UserPoolId: string): Users {
  async function find(Username: string) {
    const answer = await tolerate(call('AdminGetUser', { UserPoolId, Username }), { UserNotFoundException: undefined });
    if (answer === undefined) return undefined;
    const found = GetUser().parse(answer);
    const attributes = new Map(found.UserAttributes.map(({ Name, Value }) => [Name, Value]));
    const user = { subject: attributes.get('sub') ?? '', createdAt: new Date(found.UserCreateDate * 1000) };
    return { user, status: found.UserStatus, isVerified: attributes.get('email_verified') === 'true' };
  }

  async function remove(Username: string): Promise<void> {
    await tolerate(call('AdminDeleteUser', { UserPoolId, Username }), { UserNotFoundException: undefined });
  }

  async function add({ email, name }: Parameters<Users['ensure']>[0]): Promise<void> {
    const attributes = { email, email_verified: 'true', ...(name ? { name } : {}) };
    const UserAttributes = Object.entries(attributes).map(([Name, Value]) => ({ Name, Value }));
    const input = { UserPoolId, Username: email, UserAttributes, MessageAction: 'SUPPRESS' };
    // Another caller may have created the user, or an earlier attempt whose response was lost.
    await tolerate(call('AdminCreateUser', input), { UsernameExistsException: undefined });
  }

  /** Sets a random password, which is not stored. */
  async function setPassword(Username: string): Promise<void> {
    const Password = randomBytes(48).toString('base64url');
    await call('AdminSetUserPassword', { UserPoolId, Username, Password, Permanent: true });
  }

  return {
    remove,
    exists: async (subject) => (await find(subject)) !== undefined,
    async ensure(person) {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
        const found = await find(person.email);
        if (!found) await add(person);
        else if (!found.isVerified) await remove(found.user.subject);
        else {
          // A user in this state cannot reset a forgotten password (https://github.com/aws-amplify/amplify-js/issues/2955).
          if (found.status === 'FORCE_CHANGE_PASSWORD') await setPassword(found.user.subject);
          return found.user;
        }
      }
      throw new Error('The created user is missing at the issuer of logins.');
    },
  };
}
