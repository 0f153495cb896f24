import aws4 from 'aws4';

/** A database of the application as its release knows it. */
export interface ReleaseDatabase {
  /** Prefix of its variables' names: `DATABASE_ORDERS`. */
  prefix: string;
  host: string;
  /** 5432 unless given. */
  port?: number;
  region: string;
}

interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/**
 * Validity of a token in seconds, while its credentials are valid: longer than a Lambda process lives. A token is
 * checked only when a connection opens.
 */
const TOKEN_SECONDS = 12 * 3600;

/** Aurora DSQL has one database and one administrator per cluster. */
const NAME = 'postgres';
const USER = 'admin';
const PORT = 5432;

/**
 * Returns a password for DSQL: a signed connect request, as AWS's signer creates it in `getDbConnectAdminAuthToken`.
 */
export function authToken(
  { host, region }: Pick<ReleaseDatabase, 'host' | 'region'>,
  credentials: Credentials,
): string {
  const path = `/?Action=DbConnectAdmin&X-Amz-Expires=${TOKEN_SECONDS}`;
  const signed = aws4.sign({ service: 'dsql', region, host, path, method: 'GET', signQuery: true }, credentials);
  return `${host}${signed.path}`;
}

/**
 * Returns the variables of an application's databases, oldest first: each under its prefix, and the oldest also under
 * `DATABASE_…`.
 */
export function databaseVariables(
  databases: readonly ReleaseDatabase[],
  credentials: Credentials,
): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [index, { prefix, host, port = PORT, region }] of databases.entries()) {
    const password = encodeURIComponent(authToken({ host, region }, credentials));
    const url = `postgres://${USER}:${password}@${host}:${port}/${NAME}?sslmode=require`;
    const values = { URL: url, HOST: host, PORT: String(port), NAME, USER, REGION: region };
    for (const [name, value] of Object.entries(values)) {
      variables[`${prefix}_${name}`] = value;
      if (index === 0) variables[`DATABASE_${name}`] = value;
    }
  }
  return variables;
}
