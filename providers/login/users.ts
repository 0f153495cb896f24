import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { memoize } from '../../contract/memoize.ts';
import { isAwsError } from '../aws-errors.ts';

/** A person who may sign in, as the issuer of logins knows them. */
export interface PoolUser {
  /** The `sub` of the user’s tokens. */
  subject: string;
  createdAt: Date;
}

/** The users who may sign in, at the issuer of logins. */
export interface Users {
  /** Deletes a user, whose sessions end with it. One that is not there is no error. */
  remove(subject: string): Promise<void>;
  /** True if there is a user with this `sub`. */
  exists(subject: string): Promise<boolean>;
  /**
   * Returns the user whose email address this is, and creates one where there is none. A sign-up of the address that was never confirmed is
   * deleted first: it may be anybody's. Nothing is sent to the person, who chooses a password by the ordinary way for a forgotten one.
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

/** Attempts at a user that others create and delete meanwhile. */
const MAX_ATTEMPTS = 3;

/**
 * The user pool in Cognito. A user's `sub` or email address stands for its user name, which Cognito chooses where people sign in with an address
 * (https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminGetUser.html).
 */
export function createUsers(call: Call, UserPoolId: string): Users {
  async function find(Username: string) {
    try {
      const found = GetUser().parse(await call('AdminGetUser', { UserPoolId, Username }));
      const attributes = new Map(found.UserAttributes.map(({ Name, Value }) => [Name, Value]));
      const user = { subject: attributes.get('sub') ?? '', createdAt: new Date(found.UserCreateDate * 1000) };
      return { user, status: found.UserStatus, isVerified: attributes.get('email_verified') === 'true' };
    } catch (error) {
      if (!isAwsError(error, 'UserNotFoundException')) throw error;
      return undefined;
    }
  }

  async function remove(Username: string): Promise<void> {
    try {
      await call('AdminDeleteUser', { UserPoolId, Username });
    } catch (error) {
      if (!isAwsError(error, 'UserNotFoundException')) throw error;
    }
  }

  async function add({ email, name }: Parameters<Users['ensure']>[0]): Promise<void> {
    const attributes = { email, email_verified: 'true', ...(name ? { name } : {}) };
    const UserAttributes = Object.entries(attributes).map(([Name, Value]) => ({ Name, Value }));
    try {
      await call('AdminCreateUser', { UserPoolId, Username: email, UserAttributes, MessageAction: 'SUPPRESS' });
    } catch (error) {
      // Created meanwhile, or by an attempt whose answer was lost.
      if (!isAwsError(error, 'UsernameExistsException')) throw error;
    }
  }

  /** Sets a random password, which is not kept. */
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
          // A forgotten password cannot be replaced in this state (https://github.com/aws-amplify/amplify-js/issues/2955).
          if (found.status === 'FORCE_CHANGE_PASSWORD') await setPassword(found.user.subject);
          return found.user;
        }
      }
      throw new Error('The issuer of logins did not keep the user that was created.');
    },
  };
}
