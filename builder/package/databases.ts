import aws4 from 'aws4';

/** A database of the application, as its release knows it. */
export interface ReleaseDatabase {
  /** Begins the names of its variables: `DATABASE_ORDERS`. */
  prefix: string;
  host: string;
  region: string;
}

interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/**
 * Seconds that a token is good for, if its credentials are: longer than a process of Lambda's lives. It is asked for when
 * a connection is opened, and not again while that lasts.
 */
const TOKEN_SECONDS = 12 * 3600;

/** Aurora DSQL has one database and one administrator in each cluster. */
const NAME = 'postgres';
const USER = 'admin';

/** A password for DSQL: a signed request to connect, as `getDbConnectAdminAuthToken` of AWS's signer makes it. */
export function authToken(
  { host, region }: Pick<ReleaseDatabase, 'host' | 'region'>,
  credentials: Credentials,
): string {
  const path = `/?Action=DbConnectAdmin&X-Amz-Expires=${TOKEN_SECONDS}`;
  const signed = aws4.sign({ service: 'dsql', region, host, path, method: 'GET', signQuery: true }, credentials);
  return `${host}${signed.path}`;
}

/** The variables of an application's databases, oldest first: each under its name, and the first one's under `DATABASE_…` too. */
export function databaseVariables(
  databases: readonly ReleaseDatabase[],
  credentials: Credentials,
): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [index, { prefix, host, region }] of databases.entries()) {
    const password = encodeURIComponent(authToken({ host, region }, credentials));
    const url = `postgres://${USER}:${password}@${host}:5432/${NAME}?sslmode=require`;
    const values = { URL: url, HOST: host, NAME, USER, REGION: region };
    for (const [name, value] of Object.entries(values)) {
      variables[`${prefix}_${name}`] = value;
      if (index === 0) variables[`DATABASE_${name}`] = value;
    }
  }
  return variables;
}
