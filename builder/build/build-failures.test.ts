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
  expect(buildFailureAdvice(`${missing}${'a.ts: error TS2322\n'.repeat(200)}`, 'npm run build')).toBe('');
});

const DATABASES = [{ prefix: 'DATABASE_MAIN', host: 'a.dsql.eu-west-1.on.aws', region: 'eu-west-1' }];

test.each([
  ['Error: Environment variable not found: DATABASE_URL.', 'DATABASE_URL=postgres://build npm run build'],
  ['Invalid environment variables: [\n  path: [ "DATABASE_MAIN_HOST" ]', 'DATABASE_MAIN_HOST=build npm run build'],
  [
    'ZodError: [\n {\n "path": [\n "DATABASE_URL"\n ],\n "message": "Required"',
    'DATABASE_URL=postgres://build npm run build',
  ],
  ['AggregateError\n Error: connect ECONNREFUSED ::1:5432', 'DATABASE_URL=postgres://build npm run build'],
])('explains that a build does not receive the variables of the databases: %s', (printed, command) => {
  const advice = databaseAdvice(`a\n${printed}\nb`, 'npm run build', DATABASES);
  expect(advice).toContain('are set when the application runs, not during the build');
  expect(advice).toContain(`set the build command to "${command}"`);
  expect(databaseAdvice(printed, 'npm run build', [])).toBe('');
});

test('explains it for an install command, and for SvelteKit', () => {
  const prisma = 'Error: PrismaConfigEnvError: Cannot resolve environment variable: DATABASE_URL.';
  expect(databaseAdvice(prisma, 'npm ci', DATABASES, 'install command')).toContain(
    'set the install command to "DATABASE_URL=postgres://build npm ci"',
  );
  const svelte = 'src/a.js (1:9): "DATABASE_URL" is not exported by "virtual:env/static/private"';
  expect(databaseAdvice(svelte, 'npm run build', DATABASES)).toMatch(/import them from "\$env\/dynamic\/private"\.$/);
});

test('explains no other failures by the databases', () => {
  for (const printed of ['Missing environment variable: API_KEY', 'const url = env.DATABASE_URL;\nTS2322'])
    expect(databaseAdvice(printed, 'npm run build', DATABASES)).toBe('');
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
