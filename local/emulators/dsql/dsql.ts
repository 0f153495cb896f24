import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { AWS_LIMITS } from '../../../contract/limits/aws-limits.ts';
import { openState } from '../state.ts';
import { type Emulator, type EmulatorOptions, parse, ServiceError, serve, type WireRequest } from '../wire.ts';

const Cluster = z.object({
  token: z.string(),
  tags: z.record(z.string(), z.string()),
  createdAt: z.number(),
  deletedAt: z.number().optional(),
  deletionProtection: z.boolean(),
});
type Cluster = z.output<typeof Cluster>;
const Create = z.object({
  clientToken: z.string().min(1).max(128).optional(),
  tags: z.record(z.string().min(1).max(128), z.string().max(256)).default({}),
  deletionProtectionEnabled: z.boolean().default(true),
});

interface DsqlOptions extends EmulatorOptions {
  region: string;
  accountId: string;
  /** Milliseconds for which a cluster is CREATING. */
  createFor?: number;
}

export interface Dsql extends Emulator {
  /** Returns a cluster's tags; none for an unknown ARN. */
  tagsOf(arn: string): Record<string, string>;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';
/** Returns a cluster id of 26 letters and digits. */
const newId = () => Array.from(randomBytes(26), (byte) => LETTERS[byte % LETTERS.length]).join('');

/**
 * Starts an emulator of Aurora DSQL's control plane: CreateCluster, GetCluster, DeleteCluster. It has no PostgreSQL
 * server: an application receives its variables, but the host does not answer.
 */
export async function startDsql({
  dataDir,
  port,
  region,
  accountId,
  createFor = 1000,
  strict,
}: DsqlOptions): Promise<Dsql> {
  const state = openState(join(dataDir, 'databases.json'), z.record(z.string(), Cluster), {});
  const isCreating = ({ createdAt }: Cluster) => Date.now() - createdAt < createFor;

  const describeCluster = (identifier: string, cluster: Cluster) => ({
    identifier,
    arn: `arn:aws:dsql:${region}:${accountId}:cluster/${identifier}`,
    status: cluster.deletedAt ? 'DELETING' : isCreating(cluster) ? 'CREATING' : 'ACTIVE',
    creationTime: cluster.createdAt / 1000,
    deletionProtectionEnabled: cluster.deletionProtection,
    tags: cluster.tags,
    endpoint: `${identifier}.dsql.${region}.on.aws`,
  });

  const find = (identifier: string): Cluster => {
    const cluster = state.value[identifier];
    if (cluster && !cluster.deletedAt) return cluster;
    throw new ServiceError('ResourceNotFoundException', `The cluster ${identifier} does not exist.`, 404);
  };

  function create(body: Buffer) {
    const { clientToken: token = newId(), tags, deletionProtectionEnabled: deletionProtection } = parse(Create, body);
    const [known] = Object.entries(state.value).find(([, cluster]) => cluster.token === token) ?? [];
    const count = Object.values(state.value).filter(({ deletedAt }) => !deletedAt).length;
    if (strict && !known && count >= AWS_LIMITS.dsqlClusters.value)
      throw new ServiceError('ServiceQuotaExceededException', 'You have reached the cluster limit.', 402);
    const identifier = known ?? newId();
    const cluster = state.value[identifier] ?? { token, tags, createdAt: Date.now(), deletionProtection };
    state.value[identifier] = cluster;
    state.save();
    return describeCluster(identifier, cluster);
  }

  function remove(identifier: string) {
    const cluster = find(identifier);
    if (cluster.deletionProtection) throw new ServiceError('ValidationException', 'Deletion protection is enabled.');
    if (isCreating(cluster)) throw new ServiceError('ConflictException', 'The cluster is being created.', 409);
    cluster.deletedAt = Date.now();
    state.save();
    return describeCluster(identifier, cluster);
  }

  const emulator = await serve(port, 'application/json', ({ method, path, body }: WireRequest) => {
    const [, , identifier = ''] = path.split('/').map(decodeURIComponent);
    const operation = `${method} ${identifier ? '/cluster/{identifier}' : path}`;
    if (operation === 'POST /cluster') return { body: create(body) };
    if (operation === 'GET /cluster/{identifier}') return { body: describeCluster(identifier, find(identifier)) };
    if (operation === 'DELETE /cluster/{identifier}') return { body: remove(identifier) };
    throw new ServiceError('UnknownOperationException', `${method} ${path}`, 404);
  });
  return { ...emulator, tagsOf: (arn) => state.value[arn.split('/').at(-1) ?? '']?.tags ?? {} };
}
