import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADMINISTRATOR } from '../../../addresses.ts';
import type { Guard } from '../../../iam/guard.ts';
import { type Identity, selfSigned } from '../../certificates.ts';
import { openSessions } from '../../sts/sessions.ts';
import { createDatabase, type Database } from './database.ts';
import { openDataDirectories } from './engine.ts';
import type { ServerError } from './messages.ts';
import { servePostgres } from './server.ts';
import { verifyToken } from './token.ts';

/** The host of all clusters. Subdomains of `localhost` would not resolve on every machine. */
export const HOST = 'localhost';
/** Maximum number of running engines. Each uses a few hundred MB of memory. */
const MAX_RUNNING = 4;
/** Idle time after which an engine stops. Connections stay open. */
const IDLE_MS = 60_000;
/** Maximum time for which a session waits for another session's transaction. */
const ACQUIRE_TIMEOUT_MS = 30_000;
const CERTIFICATE_DAYS = 3650;
const VERSION = '18.6';

const DENIED: ServerError = { code: '28000', message: 'unable to accept connection, access denied' };

export interface Cluster {
  id: string;
  arn: string;
  port: number;
  tags: Record<string, string>;
  /** Called with the milliseconds for which the engine worked for a client. */
  onWork(milliseconds: number): void;
}

interface Options {
  /** Directory of the run's state. */
  dataDir: string;
  region: string;
  guard?: Pick<Guard, 'refuse'> | undefined;
}

/** Returns the certificate of the data directory, and creates it on first use. Clients may trust it by its file `certificate.pem`. */
function openIdentity(directory: string): Identity {
  const file = join(directory, 'server.json');
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Identity;
  } catch {
    const identity = selfSigned([HOST, '127.0.0.1'], [-1, CERTIFICATE_DAYS]);
    writeFileSync(file, JSON.stringify(identity), { mode: 0o600 });
    writeFileSync(join(directory, 'certificate.pem'), identity.cert);
    return identity;
  }
}

/** Serves the PostgreSQL databases of clusters, each on its own port. */
export function openClusterDatabases(directory: string, { dataDir, region, guard }: Options) {
  const identity = openIdentity(directory);
  const sessions = openSessions(dataDir);
  const directories = openDataDirectories(directory);
  const served = new Map<string, { database: Database; stop(): Promise<void> }>();
  const administrator = {
    accessKeyId: ADMINISTRATOR.AWS_ACCESS_KEY_ID,
    secretAccessKey: ADMINISTRATOR.AWS_SECRET_ACCESS_KEY,
  };

  const authenticate =
    ({ arn, tags }: Cluster) =>
    (user: string, name: string, password: string): ServerError | undefined => {
      if (user !== 'admin') return { ...DENIED, message: `role "${user}" does not exist: connect as admin` };
      if (name !== 'postgres') return { code: '3D000', message: `database "${name}" does not exist: use postgres` };
      const signer = verifyToken(password, { sessions, host: HOST, region, administrator });
      if (!signer) return DENIED;
      const { session } = signer;
      if (!session) return undefined;
      const context = Object.fromEntries(Object.entries(tags).map(([key, value]) => [`aws:ResourceTag/${key}`, value]));
      return guard?.refuse(session, [{ action: 'dsql:DbConnectAdmin', resource: arn, context }]) && DENIED;
    };

  /** Stops the least recently used idle engine if too many run, to make room for the engine of a database. */
  async function makeRoom(database: Database): Promise<void> {
    const running = [...served.values()].filter((each) => each.database.running && each.database !== database);
    if (running.length < MAX_RUNNING) return;
    for (const { database: oldest } of running.sort((a, b) => a.database.usedAt - b.database.usedAt)) {
      if (await oldest.stopIfUnused()) return;
    }
  }

  return {
    async serve(cluster: Cluster): Promise<void> {
      const database = createDatabase({
        makeRoom,
        idleMs: IDLE_MS,
        acquireTimeoutMs: ACQUIRE_TIMEOUT_MS,
        directory: () => directories.create(cluster.id),
        onWork: cluster.onWork,
      });
      const server = await servePostgres({
        port: cluster.port,
        database,
        identity,
        version: VERSION,
        authenticate: authenticate(cluster),
      });
      served.set(cluster.id, {
        database,
        async stop() {
          await server.stop();
          await database.stop();
        },
      });
    },
    sizeOf: async (id: string): Promise<number | undefined> => await served.get(id)?.database.measure(),
    async remove(id: string): Promise<void> {
      await served.get(id)?.stop();
      served.delete(id);
      await directories.remove(id);
    },
    async stop(): Promise<void> {
      await Promise.all([...served.values()].map((each) => each.stop()));
    },
  };
}
