import { expect, test } from 'vitest';
import { authToken } from '../../providers/databases/token.ts';
import { commandVariables, passwordSecrets, refusePasswords } from './passwords.ts';

const database = { prefix: 'DATABASE_MAIN', host: 'abc.dsql.eu-west-1.on.aws', region: 'eu-west-1' };
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret/of+example', sessionToken: 'a+b/c==' };
const password = authToken(database, credentials, 3600);
const job = { variables: { TOKEN: 'x' }, databases: [database], databasePasswords: { DATABASE_MAIN: password } };

test('commands receive the variables of the databases with the password of the build, and those of the owner', () => {
  const variables = commandVariables(job);
  expect(variables).toMatchObject({ TOKEN: 'x', DATABASE_PASSWORD: password, DATABASE_MAIN_HOST: database.host });
  expect(decodeURIComponent(new URL(variables.DATABASE_URL ?? '').password)).toBe(password);
  const own = commandVariables({ ...job, variables: { DATABASE_URL: 'postgres://own' } });
  expect([own.DATABASE_URL, own.DATABASE_MAIN_PASSWORD]).toEqual(['postgres://own', password]);
  expect(commandVariables({ ...job, databasePasswords: {} }).DATABASE_URL).toBeUndefined();
});

test('a release with the password of the build is refused, however the file writes it', () => {
  const { DATABASE_URL = '' } = commandVariables(job);
  const refuse = refusePasswords(job);
  for (const text of [password, DATABASE_URL, JSON.stringify({ url: DATABASE_URL }), encodeURIComponent(DATABASE_URL)])
    expect(() => refuse('server/index.js', Buffer.from(`a ${text} b`))).toThrow(
      /database, which expires within an hour, into server\/index\.js\. Read DATABASE_URL or DATABASE_MAIN_URL when/,
    );
  expect(() => refuse('a.js', Buffer.from(`${database.host} process.env.DATABASE_URL`))).not.toThrow();
  expect(() => refusePasswords({})('a.js', Buffer.from(password))).not.toThrow();
});

test('a log hides the password, and its signature alone', () => {
  const [whole, signature = ''] = passwordSecrets(job);
  expect(whole).toBe(password);
  expect(signature).toMatch(/^[\da-f]{64}$/);
  expect(password).toContain(signature);
});
