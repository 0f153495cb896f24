import { expect, test } from 'vitest';
import { buildFailureAdvice, databaseAdvice, missingGeneratedCode } from './build-failures.ts';

test.each<[printed: string, remedy: string, command?: string]>([
  [
    'Error: error:0308010C:digital envelope routines::unsupported',
    'set the build command to "NODE_OPTIONS=--openssl-legacy-provider sh build.sh"',
  ],
  ['Treating warnings as errors because process.env.CI = true.', 'set the build command to "CI=false sh build.sh"'],
  [
    'Treating warnings as errors because process.env.CI = true.',
    'set the build command to "export CI=false && true && sh build.sh"',
    'true && sh build.sh',
  ],
  ['sh: 1: vite: not found', 'No package provides the program "vite": add the one that does to package.json'],
  ['sh: 1: tsc: Permission denied', 'git rm -r --cached node_modules'],
  [`Error: EACCES: permission denied, mkdir '/data'`, 'may not write to "/data"'],
  [
    `Module not found: Error: Can't resolve './Header' in '/app/src'`,
    'If "./Header" exists on your machine, check that .gitignore',
  ],
])('names the remedy of a failed build: %s', (printed, remedy, command = 'sh build.sh') => {
  expect(buildFailureAdvice(`${printed}\n`, command)).toContain(remedy);
});

test.each([
  [
    'src/a.ts(3,7): error TS2322: Type X is not assignable to type Y.\nsrc/b.ts(1,1): error TS1005: other',
    'src/a.ts(3,7): error TS2322: Type X is not assignable to type Y.',
    '',
  ],
  ['error TS18003: No inputs were found.', 'error TS18003: No inputs were found.', ''],
  ['Failed to compile.\n\n./app/page.tsx:5:9\nType error: Type X.', 'Type error: Type X.', ' about ./app/page.tsx:5:9'],
])('quotes an error of TypeScript, of which a build may print many lines: %s', (printed, quoted, where) => {
  expect(buildFailureAdvice(`> tsc\n\n${printed}\n  const a: Y = x;\n`, 'tsc')).toBe(
    ` Its log says "${quoted}"${where}.`,
  );
});

test('gives no advice about an error of the application itself', () => {
  expect(buildFailureAdvice('TypeError: x is not a function\n', 'sh build.sh')).toBe('');
});

test('a program that a shell misses is the cause only if it is among the last messages', () => {
  const missing = 'sh: 1: husky: not found\n';
  expect(buildFailureAdvice(`${missing}npm error code 127\n`, 'npm run build')).toContain(
    'provides the program "husky"',
  );
  const lacking = 'Error  The "@rspack/core" package is required when using the rspack compiler\n';
  expect(buildFailureAdvice(lacking, 'npm run build')).toBe(
    ' Run "npm install --save-dev @rspack/core", or the same with your package manager, and commit.',
  );
  const command = `${lacking.trim()} but could not be found. Please install it:\n\n  npm install --save-dev @rspack/core webpack-node-externals\n\n`;
  expect(buildFailureAdvice(command, 'npm run build')).toContain(
    'Run "npm install --save-dev @rspack/core webpack-node-externals", or',
  );
  expect(buildFailureAdvice(`${missing}${'a.ts: error TS2322\n'.repeat(200)}`, 'npm run build')).toBe('');
});

const MAIN = {
  databases: [{ prefix: 'DATABASE_MAIN', host: 'a.dsql.eu-west-1.on.aws', region: 'eu-west-1' }],
  databasePasswords: { DATABASE_MAIN: 'secret' },
};
const REFUSED = 'AggregateError\n Error: connect ECONNREFUSED ::1:5432';

test.each([
  'Error: Environment variable not found: DATABASE_URL.',
  'Error: PrismaConfigEnvError: Cannot resolve environment variable: DATABASE_URL.',
  'Invalid environment variables: [\n  path: [ "DATABASE_MAIN_HOST" ]',
  'ZodError: [\n {\n "path": [\n "DATABASE_URL"\n ],\n "message": "Required"',
  'src/a.js (1:9): "DATABASE_URL" is not exported by "virtual:env/static/private"',
  REFUSED,
])('says what a build without the variables of a database needs: %s', (message) => {
  const printed = `a\n${message}\nb`;
  expect(databaseAdvice(printed, { databases: [], pendingDatabases: ['main'] })).toBe(
    ' The database main is still being created: deploy again when it is available.',
  );
  expect(databaseAdvice(printed, { databases: MAIN.databases })).toContain('cannot open its database at the moment');
});

test('says that a build connects to its own machine, or uses what DSQL lacks', () => {
  expect(databaseAdvice(REFUSED, { databases: [] })).toMatch(
    /: create a database for the application, which sets DATABASE_URL, or set the variable yourself, and deploy again\.$/,
  );
  expect(databaseAdvice(REFUSED, MAIN)).toBe(
    ' It connects to PostgreSQL on port 5432 of its own machine, where nothing listens: read the address from DATABASE_URL.',
  );
  const unsupported = 'ERROR: type "serial" does not exist';
  expect(databaseAdvice(unsupported, MAIN)).toContain('Aurora DSQL, which lacks some features');
  expect(databaseAdvice(unsupported, { databases: [] })).toBe('');
  const drizzle = "Using 'postgres' driver for database querying\n[⣷] applying migrations...";
  expect(databaseAdvice(drizzle, MAIN)).toContain('each statement in a transaction of its own.');
  expect(databaseAdvice(`${drizzle}[✓] migrations applied successfully!`, MAIN)).toBe('');
});

test('explains no other failures by the databases', () => {
  // Without a database, the advice about missing variables names all of them.
  const missing = 'Invalid environment variables: [\n  path: [ "DATABASE_URL" ]\n  path: [ "AUTH_SECRET" ]';
  expect(databaseAdvice(missing, { databases: [] })).toBe('');
  for (const printed of ['Missing environment variable: API_KEY', 'const url = env.DATABASE_URL;\nTS2322'])
    expect(databaseAdvice(printed, { databases: [] })).toBe('');
  expect(databaseAdvice('Invalid environment variables: [\n  path: [ "DATABASE_URL" ]', MAIN)).toBe('');
});

const PRISMA = { dependencies: {}, devDependencies: { prisma: '7' } };

test.each([
  "Module not found: Can't resolve '../app/generated/prisma/client'",
  "src/prisma.service.ts:2:30 - error TS2307: Cannot find module './generated/prisma/client.js' or its corresponding type declarations.",
  `error TS2305: Module '"@prisma/client"' has no exported member 'PrismaClient'.`,
  'Error: @prisma/client did not initialize yet. Please run "prisma generate" and try to import it again.',
])('generates the client of Prisma if a build lacks it: %s', (printed) => {
  expect(missingGeneratedCode(printed, 'npm run build', PRISMA)).toEqual({
    name: "Prisma's client",
    command: 'prisma generate && npm run build',
  });
  expect(missingGeneratedCode(printed, 'npx prisma generate && npm run build', PRISMA)).toBe(undefined);
  expect(missingGeneratedCode(printed, 'npm run build', { dependencies: {}, devDependencies: {} })).toBe(undefined);
});

test('generates nothing for other missing files', () => {
  const printed = "Module not found: Can't resolve './prisma/seed'";
  expect(missingGeneratedCode(printed, 'npm run build', PRISMA)).toBe(undefined);
});
