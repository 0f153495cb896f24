/** The users who may sign in, at the issuer of logins. */
export interface Users {
  /** Deletes a user, whose sessions end with it. One that is not there is no error. */
  remove(subject: string): Promise<void>;
}

type Call = (operation: 'AdminDeleteUser', input: object) => Promise<unknown>;

const isMissing = (error: unknown) => error instanceof Error && error.name === 'UserNotFoundException';

/**
 * The user pool in Cognito. A user's `sub` stands for its user name
 * (https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminDeleteUser.html).
 */
export const createUsers = (call: Call, poolId: string): Users => ({
  async remove(subject) {
    try {
      await call('AdminDeleteUser', { UserPoolId: poolId, Username: subject });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  },
});
