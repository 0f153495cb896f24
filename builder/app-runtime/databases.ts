import { connectionUrl, DATABASE_NAME, DATABASE_PORT, DATABASE_USER } from '../../providers/databases/token.ts';

/** A database of the application, as described in its release. */
export interface ReleaseDatabase {
  /** Prefix of its variables' names: `DATABASE_ORDERS`. */
  prefix: string;
  host: string;
  /** 5432 unless given. */
  port?: number;
  region: string;
}

/** Makes Prisma migrate without an advisory lock, which DSQL does not have. */
const PRISMA_WITHOUT_LOCK = 'PRISMA_SCHEMA_DISABLE_ADVISORY_LOCK';

/**
 * Returns the variables of an application's databases, oldest first: each under its prefix, and the oldest also under
 * `DATABASE_…`.
 * @param passwordOf returns the password of a database; undefined for one that cannot be opened, which has no variables
 */
export function databaseVariables(
  databases: readonly ReleaseDatabase[],
  passwordOf: (database: ReleaseDatabase) => string | undefined,
): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [index, database] of databases.entries()) {
    const { prefix, host, port = DATABASE_PORT, region } = database;
    const password = passwordOf(database);
    if (password === undefined) continue;
    const values = {
      URL: connectionUrl({ host, port }, password, 'verify-full'),
      HOST: host,
      PORT: String(port),
      NAME: DATABASE_NAME,
      USER: DATABASE_USER,
      PASSWORD: password,
      REGION: region,
    };
    for (const [name, value] of Object.entries(values)) {
      variables[`${prefix}_${name}`] = value;
      if (index === 0) variables[`DATABASE_${name}`] = value;
    }
  }
  return databases.length === 0 ? variables : { ...variables, [PRISMA_WITHOUT_LOCK]: '1' };
}

/** Returns the variables of a process: the owner's take precedence over those of the databases. */
export function mergeVariables(derived: Readonly<Record<string, string>>, own: Readonly<Record<string, string>>) {
  const merged = { ...derived, ...own };
  // Prisma then connects to a database of the owner's choice.
  if (own.DATABASE_URL !== undefined && own[PRISMA_WITHOUT_LOCK] === undefined) delete merged[PRISMA_WITHOUT_LOCK];
  return merged;
}
