import {
  CreateClusterCommand,
  DeleteClusterCommand,
  DSQLClient,
  GetClusterCommand,
  TagResourceCommand,
} from '@aws-sdk/client-dsql';
import { type DatabaseAccess, entryOf } from '../../contract/enums.ts';
import { isAwsError, tolerate } from '../aws-errors.ts';
import { sdkTimeouts } from '../aws-timeouts.ts';
import { GENERATION_TAG } from './passwords.ts';

/** Tag of a cluster that says who may connect. The roles of applications and owners check it; without the tag, both may connect. */
const ACCESS_TAG = 'access';

export interface Cluster {
  id: string;
  /** `PENDING` while the cluster is being created. */
  status: 'PENDING' | 'READY' | 'FAILED' | 'GONE';
  /** The cluster's host name, and its port if it differs from PostgreSQL's default. */
  host: string;
  port?: number;
}

/** The AWS account of the databases has reached its quota of clusters. */
export class DatabaseQuotaReached extends Error {
  override readonly name = 'DatabaseQuotaReached';
}

/** Creates and deletes databases. */
export interface Databases {
  /**
   * Requests a cluster. Repeated calls with the same token return the same cluster. Throws {@link DatabaseQuotaReached}.
   * @param owner the ARN of the only function that may connect to the cluster
   */
  create(token: string, owner: string): Promise<Cluster>;
  find(clusterId: string): Promise<Cluster>;
  /** Deletes a cluster. A missing cluster is not an error. Throws while the cluster is still being created. */
  remove(clusterId: string): Promise<void>;
  /**
   * Sets who may open connections, and revokes the passwords of earlier generations (passwords.ts). A missing cluster is not an error,
   * because it accepts no connections.
   */
  setAccess(clusterId: string, to: { generation: number | undefined; access: DatabaseAccess }): Promise<void>;
}

const MISSING = { ResourceNotFoundException: undefined };

/** Maps DSQL's states to those of the platform. An idle cluster wakes up at the next connection. */
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
 * Aurora DSQL implementation: one cluster per database. An idle cluster costs nothing.
 * @param arnPrefix prefix of the clusters' ARNs
 */
export function createDatabases(region: string, arnPrefix: string): Databases {
  const client = new DSQLClient({ ...sdkTimeouts(), region });
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
      // The policy of the applications' role depends on this tag (lib/stacks/app-hosting.ts).
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
      const cluster = await tolerate(client.send(new GetClusterCommand({ identifier })), MISSING);
      return cluster ? clusterOf(cluster) : { id: identifier, status: 'GONE', host: '' };
    },

    async remove(identifier) {
      await tolerate(client.send(new DeleteClusterCommand({ identifier })), MISSING);
    },

    async setAccess(identifier, { generation, access }) {
      const tags = {
        ...(generation === undefined ? {} : { [GENERATION_TAG]: String(generation) }),
        [ACCESS_TAG]: access,
      };
      await tolerate(client.send(new TagResourceCommand({ resourceArn: `${arnPrefix}${identifier}`, tags })), MISSING);
    },
  };
}
