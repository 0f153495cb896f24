import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { AWS_LIMITS } from '../../../contract/limits/aws-limits.ts';
import { UserError } from '../../data-directory.ts';
import type { Guard } from '../../iam/guard.ts';
import { freePort } from '../../processes/ports.ts';
import { openState } from '../state.ts';
import { type Emulator, type EmulatorOptions, parse, ServiceError, serve, type WireRequest } from '../wire.ts';
import { HOST, openClusterDatabases } from './postgres/cluster-databases.ts';

const Cluster = z.object({
  token: z.string(),
  tags: z.record(z.string(), z.string()),
  createdAt: z.number(),
  deletedAt: z.number().optional(),
  deletionProtection: z.boolean(),
  /** Port of the cluster's PostgreSQL server. */
  port: z.number(),
  /** DPUs (distributed processing units) used, by the hour (Unix time in hours). */
  units: z.record(z.string(), z.number()).default({}),
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
  /** Milliseconds for which a new cluster is CREATING. */
  createFor?: number;
  /** Authorizes connections. */
  guard?: Pick<Guard, 'refuse'> | undefined;
}

export interface Dsql extends Emulator {
  /** Returns a cluster's tags; an empty object for an unknown ARN. */
  tagsOf(arn: string): Record<string, string>;
  /** Returns the storage of a cluster in bytes; undefined before its first measurement. */
  sizeOf(identifier: string): Promise<number | undefined>;
  /** Returns the DPUs that a cluster used, also of a deleted one: one value per hour, with its time in seconds. */
  unitsOf(identifier: string): { at: number; value: number }[];
}

/**
 * DPUs per millisecond of work. AWS charges 0.001, and more for the bytes that are read and written, which the engine does not count
 * (https://docs.aws.amazon.com/aurora-dsql/latest/userguide/billing-metering.html). The higher rate makes the use by a few statements visible.
 */
const UNITS_PER_MS = 0.05;
const HOUR_S = 3600;

const Tagging = z.object({ tags: z.record(z.string().min(1).max(128), z.string().max(256)) });

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';
/** Returns a cluster id of 26 letters and digits. */
const newId = () => Array.from(randomBytes(26), (byte) => LETTERS[byte % LETTERS.length]).join('');

const openClusters = (dataDir: string) => openState(join(dataDir, 'databases.json'), z.record(z.string(), Cluster), {});

/** Returns the ports of the clusters of earlier runs, which applications know. */
export const clusterPortsOf = (dataDir: string): number[] =>
  Object.values(openClusters(dataDir).value).flatMap(({ port, deletedAt }) => (deletedAt ? [] : port));

/**
 * Starts an emulator of Aurora DSQL: CreateCluster, GetCluster, ListClusters, DeleteCluster, TagResource. Each cluster is a PostgreSQL server
 * at `localhost` with its own port, whose engine starts with the first connection.
 */
export async function startDsql({
  dataDir,
  port,
  region,
  accountId,
  createFor = 1000,
  strict,
  guard,
}: DsqlOptions): Promise<Dsql> {
  const state = openClusters(dataDir);
  const directory = join(dataDir, 'databases');
  mkdirSync(directory, { recursive: true });
  const databases = openClusterDatabases(directory, { dataDir, region, guard });
  const arnOf = (identifier: string) => `arn:aws:dsql:${region}:${accountId}:cluster/${identifier}`;
  const isCreating = ({ createdAt }: Cluster) => Date.now() - createdAt < createFor;

  const summary = (identifier: string, cluster: Cluster) => ({
    identifier,
    arn: arnOf(identifier),
    status: cluster.deletedAt ? 'DELETING' : isCreating(cluster) ? 'CREATING' : 'ACTIVE',
    creationTime: cluster.createdAt / 1000,
  });
  const describeCluster = (identifier: string, cluster: Cluster) => ({
    ...summary(identifier, cluster),
    deletionProtectionEnabled: cluster.deletionProtection,
    endpoint: `${HOST}:${cluster.port}`,
  });

  const find = (identifier: string): Cluster => {
    const cluster = state.value[identifier];
    if (cluster && !cluster.deletedAt) return cluster;
    throw new ServiceError('ResourceNotFoundException', `The cluster ${identifier} does not exist.`, 404);
  };

  const serveCluster = (id: string, cluster: Cluster) =>
    databases.serve({
      id,
      arn: arnOf(id),
      port: cluster.port,
      tags: cluster.tags,
      onWork(milliseconds) {
        const hour = Math.floor(Date.now() / 1000 / HOUR_S);
        cluster.units[hour] = (cluster.units[hour] ?? 0) + milliseconds * UNITS_PER_MS;
      },
    });

  async function create(body: Buffer) {
    const { clientToken: token = newId(), tags, deletionProtectionEnabled: deletionProtection } = parse(Create, body);
    const [known] = Object.entries(state.value).find(([, cluster]) => cluster.token === token) ?? [];
    const count = Object.values(state.value).filter(({ deletedAt }) => !deletedAt).length;
    if (strict && !known && count >= AWS_LIMITS.dsqlClusters.value)
      throw new ServiceError('ServiceQuotaExceededException', 'You have reached the cluster limit.', 402);
    const identifier = known ?? newId();
    const existing = state.value[identifier];
    if (existing) return describeCluster(identifier, existing);
    const cluster: Cluster = { token, tags, createdAt: Date.now(), deletionProtection, port: 0, units: {} };
    // Stored before the first await, so that a repeated request finds it.
    state.value[identifier] = cluster;
    cluster.port = await freePort();
    await serveCluster(identifier, cluster);
    state.save();
    return describeCluster(identifier, cluster);
  }

  async function remove(identifier: string) {
    const cluster = find(identifier);
    if (cluster.deletionProtection) throw new ServiceError('ValidationException', 'Deletion protection is enabled.');
    if (isCreating(cluster)) throw new ServiceError('ConflictException', 'The cluster is being created.', 409);
    cluster.deletedAt = Date.now();
    state.save();
    await databases.remove(identifier);
    return summary(identifier, cluster);
  }

  function list(query: URLSearchParams) {
    const from = Number(query.get('next-token') ?? 0);
    const end = from + Number(query.get('max-results') ?? 20);
    const clusters = Object.entries(state.value).filter(([, { deletedAt }]) => !deletedAt);
    return {
      clusters: clusters.slice(from, end).map(([identifier]) => ({ identifier, arn: arnOf(identifier) })),
      ...(end < clusters.length ? { nextToken: String(end) } : {}),
    };
  }

  function tag(arn: string, body: Buffer) {
    // Modifies the object in place, because the cluster's server holds a reference to it.
    Object.assign(find(arn.split('/').at(-1) ?? '').tags, parse(Tagging, body).tags);
    state.save();
    return {};
  }

  for (const [id, cluster] of Object.entries(state.value)) {
    if (cluster.deletedAt) continue;
    await serveCluster(id, cluster).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      throw new UserError(
        `Port ${cluster.port}, at which applications reach a database, is in use. Stop the program that listens on it, and start again.`,
      );
    });
  }
  const emulator = await serve(port, 'application/json', async ({ method, path, query, body }: WireRequest) => {
    const [, collection, identifier = ''] = path.split('/').map(decodeURIComponent);
    if (method === 'POST' && collection === 'tags') return { body: tag(identifier, body) };
    if (method === 'GET' && path === '/cluster') return { body: list(query) };
    const operation = `${method} ${identifier ? '/cluster/{identifier}' : path}`;
    if (operation === 'POST /cluster') return { body: await create(body) };
    if (operation === 'GET /cluster/{identifier}') {
      const cluster = find(identifier);
      return { body: { ...describeCluster(identifier, cluster), tags: cluster.tags } };
    }
    if (operation === 'DELETE /cluster/{identifier}') return { body: await remove(identifier) };
    throw new ServiceError('UnknownOperationException', `${method} ${path}`, 404);
  });
  return {
    ...emulator,
    async stop() {
      await emulator.stop();
      await databases.stop();
      state.save();
    },
    tagsOf: (arn) => state.value[arn.split('/').at(-1) ?? '']?.tags ?? {},
    sizeOf: (identifier) => databases.sizeOf(identifier),
    unitsOf: (identifier) =>
      Object.entries(state.value[identifier]?.units ?? {}).map(([hour, value]) => ({
        at: Number(hour) * HOUR_S,
        value,
      })),
  };
}
