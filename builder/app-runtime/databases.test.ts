import { expect, test } from 'vitest';
import { databaseVariables, mergeVariables } from './databases.ts';

const passwordOf = ({ host }: { host: string }) => `${host}/?Action=DbConnectAdmin&X-Amz-Security-Token=a%2Fb`;
const DATABASE = { host: 'abc.dsql.eu-west-1.on.aws', region: 'eu-west-1' };

test('names the variables of each database after it, and also the oldest one’s DATABASE_…', () => {
  const other = { prefix: 'DATABASE_OTHER', host: 'other.dsql.eu-west-1.on.aws', region: 'eu-west-1' };
  const variables = databaseVariables([{ prefix: 'DATABASE_MAIN', ...DATABASE }, other], passwordOf);
  expect(variables).toMatchObject({
    DATABASE_MAIN_HOST: DATABASE.host,
    DATABASE_MAIN_PORT: '5432',
    DATABASE_MAIN_NAME: 'postgres',
    DATABASE_MAIN_USER: 'admin',
    DATABASE_MAIN_REGION: 'eu-west-1',
    DATABASE_HOST: DATABASE.host,
    DATABASE_OTHER_HOST: other.host,
    // Its migrations take an advisory lock otherwise, which DSQL does not have.
    PRISMA_SCHEMA_DISABLE_ADVISORY_LOCK: '1',
  });
  expect(variables.DATABASE_URL).toBe(variables.DATABASE_MAIN_URL);
  const url = new URL(variables.DATABASE_OTHER_URL ?? '');
  expect([url.username, url.host, url.pathname, url.search]).toEqual([
    'admin',
    `${other.host}:5432`,
    '/postgres',
    '?sslmode=verify-full',
  ]);
  expect(decodeURIComponent(url.password)).toContain(`${other.host}/?Action=DbConnectAdmin&`);
  expect(variables.DATABASE_OTHER_PASSWORD).toBe(decodeURIComponent(url.password));
  expect(variables.DATABASE_PASSWORD).toContain(DATABASE.host);
  expect(databaseVariables([], passwordOf)).toEqual({});
});

test('a database without a password has no variables, and the next one does not replace it', () => {
  const [main, other] = ['DATABASE_MAIN', 'DATABASE_OTHER'].map((prefix) => ({ prefix, ...DATABASE }));
  if (!main || !other) throw new Error('no databases');
  const variables = databaseVariables([main, other], ({ prefix }) =>
    prefix === 'DATABASE_OTHER' ? 'open' : undefined,
  );
  expect(Object.keys(variables).filter((name) => name.endsWith('_URL'))).toEqual(['DATABASE_OTHER_URL']);
});

test('lets the owner’s variables take precedence, with the lock of Prisma for a database of their own', () => {
  const lock = 'PRISMA_SCHEMA_DISABLE_ADVISORY_LOCK';
  const derived = databaseVariables([{ prefix: 'DATABASE_MAIN', ...DATABASE }], passwordOf);
  expect(mergeVariables(derived, { TOKEN: 'x' })).toEqual({ ...derived, TOKEN: 'x' });
  const own = mergeVariables(derived, { DATABASE_URL: 'postgres://other' });
  expect([own.DATABASE_URL, own.DATABASE_MAIN_URL, own[lock]]).toEqual([
    'postgres://other',
    derived.DATABASE_MAIN_URL,
    undefined,
  ]);
  expect(mergeVariables(derived, { DATABASE_URL: 'postgres://other', [lock]: '1' })[lock]).toBe('1');
});
