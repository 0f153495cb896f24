import * as z from 'zod';
import { type Emulator, jsonOperations, parse, ServiceError, serve } from '../wire.ts';

const AdminDeleteUser = z.object({ UserPoolId: z.string().min(1).max(55), Username: z.string().min(1).max(128) });

/**
 * Starts the part of Cognito's API that the platform calls: AdminDeleteUser, by a user's `sub`
 * (https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminDeleteUser.html).
 * @param removeUser deletes a user; false where there is none
 */
export const startUserPool = (port: number, removeUser: (subject: string) => boolean): Promise<Emulator> =>
  serve(
    port,
    'application/x-amz-json-1.1',
    jsonOperations({
      AdminDeleteUser(body) {
        if (!removeUser(parse(AdminDeleteUser, body).Username))
          throw new ServiceError('UserNotFoundException', 'User does not exist.');
        return {};
      },
    }),
  );
