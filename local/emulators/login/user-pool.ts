import * as z from 'zod';
import { type Emulator, jsonOperations, parse, ServiceError, serve } from '../wire.ts';
import type { User, Users } from './users.ts';

const UserPoolId = z.string().min(1).max(55);
/** Maximum length of a user name, which is an email address. */
export const MAX_USERNAME_LENGTH = 128;
const Username = z.string().min(1).max(MAX_USERNAME_LENGTH);
const UserInput = z.object({ UserPoolId, Username });
const AdminCreateUser = UserInput.extend({
  UserAttributes: z.array(z.object({ Name: z.string().min(1).max(32), Value: z.string().max(2048).optional() })),
  // The emulator sends no invitations by email.
  MessageAction: z.literal('SUPPRESS'),
});
const AdminSetUserPassword = UserInput.extend({ Password: z.string().max(256), Permanent: z.boolean().default(false) });

const MIN_PASSWORD_LENGTH = 12;

/** Returns Cognito's description of a user. All email addresses count as confirmed, because the emulator sends no emails. */
const describe = ({ subject, email, name, temporary, createdAt }: User) => ({
  Username: subject,
  Enabled: true,
  UserStatus: temporary ? 'FORCE_CHANGE_PASSWORD' : 'CONFIRMED',
  UserCreateDate: (createdAt ?? 0) / 1000,
  UserLastModifiedDate: (createdAt ?? 0) / 1000,
  attributes: Object.entries({ sub: subject, email, email_verified: 'true', name }).map(([Name, Value]) => ({
    Name,
    Value,
  })),
});

/**
 * Starts an emulator of the part of Cognito's API that the platform calls: AdminGetUser, AdminCreateUser, AdminSetUserPassword and
 * AdminDeleteUser. A user is identified by `sub` or email address (https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminCreateUser.html).
 */
export function startUserPool(port: number | undefined, users: Users): Promise<Emulator> {
  const find = (name: string): User => {
    const user = users.bySubject(name) ?? users.byEmail(name);
    if (!user) throw new ServiceError('UserNotFoundException', 'User does not exist.');
    return user;
  };
  return serve(
    port,
    'application/x-amz-json-1.1',
    jsonOperations({
      AdminGetUser(body) {
        const { attributes: UserAttributes, ...shown } = describe(find(parse(UserInput, body).Username));
        return { ...shown, UserAttributes };
      },
      async AdminCreateUser(body) {
        const { Username: name, UserAttributes } = parse(AdminCreateUser, body);
        const given = new Map(UserAttributes.map(({ Name, Value }) => [Name, Value]));
        const email = given.get('email') ?? name;
        if (email !== name)
          throw new ServiceError('InvalidParameterException', 'The user name must be the email address.');
        const user = await users.add({ email, name: given.get('name') ?? '' });
        if (!user) throw new ServiceError('UsernameExistsException', 'An account with the given email already exists.');
        const { attributes: Attributes, ...shown } = describe(user);
        return { User: { ...shown, Attributes } };
      },
      async AdminSetUserPassword(body) {
        const { Username: name, Password: password, Permanent } = parse(AdminSetUserPassword, body);
        const { email } = find(name);
        if (password.length < MIN_PASSWORD_LENGTH)
          throw new ServiceError(
            'InvalidPasswordException',
            'Password did not conform with password policy: Password not long enough',
          );
        await users.setPassword({ email, password }, !Permanent);
        return {};
      },
      AdminDeleteUser(body) {
        users.remove(find(parse(UserInput, body).Username).subject);
        return {};
      },
    }),
  );
}
