import aws4 from 'aws4';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** The address of a database. */
export interface DatabaseAddress {
  host: string;
  /** 5432 unless given. */
  port?: number | undefined;
}

/** Aurora DSQL has one database and one administrator per cluster. */
export const DATABASE_NAME = 'postgres';
export const DATABASE_USER = 'admin';
export const DATABASE_PORT = 5432;

/**
 * Returns a password for DSQL: a signed connect request, the same as from `getDbConnectAdminAuthToken` of AWS's signer. DSQL checks it when
 * a connection opens.
 * @param seconds validity; the password also expires with the credentials
 */
export function authToken(
  { host, region }: Pick<DatabaseAddress, 'host'> & { region: string },
  credentials: Credentials,
  seconds: number,
): string {
  const path = `/?Action=DbConnectAdmin&X-Amz-Expires=${seconds}`;
  const signed = aws4.sign({ service: 'dsql', region, host, path, method: 'GET', signQuery: true }, credentials);
  return `${host}${signed.path}`;
}

/**
 * Returns the connection URL of a database with its password, as `psql` and drivers accept it.
 * @param sslMode `require` for `psql`, which has no certificates of its own. Drivers for Node also verify the certificate with
 * `verify-full`, and `pg` warns about `require`
 */
export const connectionUrl = (
  { host, port = DATABASE_PORT }: DatabaseAddress,
  password: string,
  sslMode: 'require' | 'verify-full' = 'require',
): string =>
  `postgres://${DATABASE_USER}:${encodeURIComponent(password)}@${host}:${port}/${DATABASE_NAME}?sslmode=${sslMode}`;
