import { authToken, type Credentials } from './token.ts';

/** The cluster that a password opens. */
interface PasswordTarget {
  clusterId: string;
  host: string;
  region: string;
  /** The number of times that the passwords were revoked. */
  generation: number;
}

/** Creates passwords of databases. */
export interface DatabasePasswords {
  /**
   * Returns a password that opens one cluster. It expires after `session.seconds`, or when the cluster's generation changes.
   * @param session its name appears in the AWS account's audit trail
   */
  create(target: PasswordTarget, session: { name: string; seconds: number }): Promise<string>;
}

/** Starts a role session with a policy that restricts it further. */
type AssumeRole = (session: { name: string; seconds: number; policy: string }) => Promise<Credentials>;

/** Tag of a cluster with the generation of its passwords. A cluster whose passwords were never revoked lacks the tag. */
export const GENERATION_TAG = 'passwords';

/**
 * Creates passwords. A password is signed by a session that may connect to one cluster only, and only while the cluster's tag keeps its
 * current value. A new value of the tag therefore revokes the password: DSQL authorizes each connection when it opens
 * (https://docs.aws.amazon.com/aurora-dsql/latest/userguide/SECTION_authentication-token.html).
 * @param arnPrefix prefix of the clusters' ARNs
 */
export const createDatabasePasswords = (assumeRole: AssumeRole, arnPrefix: string): DatabasePasswords => ({
  async create({ clusterId, host, region, generation }, { name, seconds }) {
    const tag = `aws:ResourceTag/${GENERATION_TAG}`;
    const Statement = [
      {
        Effect: 'Allow',
        Action: 'dsql:DbConnectAdmin',
        Resource: `${arnPrefix}${clusterId}`,
        Condition: generation === 0 ? { Null: { [tag]: 'true' } } : { StringEquals: { [tag]: String(generation) } },
      },
    ];
    const policy = JSON.stringify({ Version: '2012-10-17', Statement });
    return authToken({ host, region }, await assumeRole({ name, seconds, policy }), seconds);
  },
});
