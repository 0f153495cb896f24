import {
  CreateClusterCommand,
  DeleteClusterCommand,
  DSQLClient,
  GetClusterCommand,
  TagResourceCommand,
} from '@aws-sdk/client-dsql';
import { type DatabaseAccess, entryOf } from '../../contract/enums.ts';
import { isAwsError } from '../aws-errors.ts';
import { GENERATION_TAG } from './passwords.ts';

/** Tag of a cluster with those who may connect: the roles of applications and owners read it. Without it both may. */
const ACCESS_TAG = 'access';

export interface Cluster {
  id: string;
  /** `PENDING` while it is being made. */
  status: 'PENDING' | 'READY' | 'FAILED' | 'GONE';
  /** The cluster's host name, and its port where that is not PostgreSQL's own. */
  host: string;
  port?: number;
}

/** The account that the databases are in has as many as AWS allows it. */
export class DatabaseQuotaReached extends Error {
  override readonly name = 'DatabaseQuotaReached';
}

/** Makes databases and takes them away. */
export interface Databases {
  /**
   * Asks for a cluster; asking again with the same token is the same cluster. Throws {@link DatabaseQuotaReached}.
   * @param owner the ARN of the one function that may connect to it
   */
  create(token: string, owner: string): Promise<Cluster>;
  find(clusterId: string): Promise<Cluster>;
  /** Deleting what is not there is no error. Throws while the cluster is still being made. */
  remove(clusterId: string): Promise<void>;
  /**
   * Decides who may open connections, and revokes the passwords of earlier generations (passwords.ts), if there were any. A
   * cluster that is gone has none.
   */
  setAccess(clusterId: string, to: { generation: number | undefined; access: DatabaseAccess }): Promise<void>;
}

const isMissing = (error: unknown) => isAwsError(error, 'ResourceNotFoundException');

/** DSQL's states as the platform distinguishes them. An idle cluster wakes up with its first connection. */
const STATUS: Record<string, Cluster['status']> = {
  CREATING: 'PENDING',
  PENDING_SETUP: 'PENDING',
  UPDATING: 'READY',
  ACTIVE: 'READY',
  IDLE: 'READY',
  INACTIVE: 'READY',
  FAILED: 'FAILED',
  PENDING_DELETE: 'GONE',
  DELETING: 'GONE',
  DELETED: 'GONE',
};

/**
 * Aurora DSQL: one cluster per database, which costs nothing while it is idle.
 * @param arnPrefix of clusters
 */
export function createDatabases(region: string, arnPrefix: string): Databases {
  const client = new DSQLClient({ region });
  const clusterOf = (answer: {
    identifier?: string | undefined;
    status?: string | undefined;
    endpoint?: string | undefined;
  }): Cluster => {
    const { identifier: id = '', status = '', endpoint = `${id}.dsql.${region}.on.aws` } = answer;
    const [host = '', port] = endpoint.split(':');
    return { id, status: entryOf(STATUS, status) ?? 'PENDING', host, ...(port ? { port: Number(port) } : {}) };
  };
  return {
    async create(clientToken, owner) {
      // The tag is what the rights of the application's role go by (lib/stacks/app-hosting.ts).
      const tags = { application: owner };
      const wanted = { clientToken, tags, deletionProtectionEnabled: false };
      try {
        return clusterOf(await client.send(new CreateClusterCommand(wanted)));
      } catch (cause) {
        if (!isAwsError(cause, 'ServiceQuotaExceededException')) throw cause;
        throw new DatabaseQuotaReached('AWS allows no further cluster', { cause });
      }
    },

    async find(identifier) {
      try {
        return clusterOf(await client.send(new GetClusterCommand({ identifier })));
      } catch (error) {
        if (isMissing(error)) return { id: identifier, status: 'GONE', host: '' };
        throw error;
      }
    },

    async remove(identifier) {
      try {
        await client.send(new DeleteClusterCommand({ identifier }));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    },

    async setAccess(identifier, { generation, access }) {
      const tags = {
        ...(generation === undefined ? {} : { [GENERATION_TAG]: String(generation) }),
        [ACCESS_TAG]: access,
      };
      try {
        await client.send(new TagResourceCommand({ resourceArn: `${arnPrefix}${identifier}`, tags }));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    },
  };
}
