import { expect, test } from 'vitest';
import { endedServerAdvice } from '../../providers/builds/detection/frameworks.ts';
import { explainReleaseFailure } from './release-failure.ts';

const TIMED_OUT = 'RequestId: 1-2 Error: Task timed out after 30.00 seconds';
const EXITED = 'RequestId: 1-2 Error: Runtime exited with error: exit status 1';

test.each<[what: string, error: string, lines: string[], expected: string]>([
  [
    'a missing variable, with its stack',
    EXITED,
    [
      '/var/task/server.js:1',
      'throw new Error()',
      '',
      'Error: DATABASE_URL is not set',
      '    at Object.<anonymous>',
      'Node.js v22.1.0',
    ],
    'The new release did not start: Error: DATABASE_URL is not set.',
  ],
  [
    'an error with a code',
    EXITED,
    ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'express' imported from /var/task/server.js"],
    'The new release did not start: Error [ERR_MODULE_NOT_FOUND]: Cannot find package \'express\' imported from /var/task/server.js. Only "dependencies" are part of a release',
  ],
  [
    'a file that no build made',
    EXITED,
    ["Error: Cannot find module '/var/task/dist/index.js'"],
    "The new release did not start: Error: Cannot find module '/var/task/dist/index.js'. The file is not in the release: check that the build creates it",
  ],
  [
    'a file with another case',
    EXITED,
    ["Error: Cannot find module './config/Secret.json'"],
    'does not keep it out of the repository, and that its name has the same upper and lower case.',
  ],
  [
    'an import of an ES module without an extension',
    EXITED,
    [
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/var/task/dist/app.module' imported from /var/task/dist/main.js",
    ],
    'main.js. An import of an ES module names the file with its extension, such as "./file.js"',
  ],
  [
    'an import of a directory',
    EXITED,
    [
      "Error: Directory import '/var/task/dist/routes' is not supported resolving ES modules imported from /var/task/a.js",
    ],
    'a.js. An import of an ES module names the file with its extension',
  ],
  [
    'a file of an ES module that no build made',
    EXITED,
    ["Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/var/task/dist/a.js' imported from /var/task/dist/main.js"],
    'main.js. The file is not in the release',
  ],
  [
    'TypeScript in Node 20',
    EXITED,
    ['TypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file extension ".ts" for /var/task/src/index.ts'],
    'Node 20 runs no TypeScript: set the version of Node to 22 or later, compile',
  ],
  [
    'TypeScript that is more than types',
    EXITED,
    ['SyntaxError [ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX]: TypeScript enum is not supported in strip-only mode'],
    'strip-only mode. Node only removes types: compile the code in the build, or start it with tsx',
  ],
  [
    'a script from Windows that is not executable',
    EXITED,
    ['/bin/sh: line 1: ./start.sh: Permission denied'],
    'The file is not executable: run "git update-index --chmod=+x ./start.sh", commit, and deploy again.',
  ],
  [
    'a script with the line ends of Windows',
    EXITED,
    ['/usr/bin/env: ‘node\\r’: No such file or directory'],
    'The file has the line ends of Windows, with which its first line names no program',
  ],
  [
    'a package whose install script was not run',
    EXITED,
    ["Error: Cannot find module '/var/task/node_modules/bcrypt/lib/binding/napi-v3/bcrypt_lib.node'"],
    'bcrypt_lib.node\'. A package has no compiled module: its install script was not run (with pnpm, approve it with "pnpm approve-builds"',
  ],
  [
    'an exit that says nothing',
    EXITED,
    [],
    'exit code 1 before it answered, and printed nothing. Set the variables that it requires, and the one that switches its log on',
  ],
  [
    'a database that is expected beside the application',
    EXITED,
    ['MongooseServerSelectionError: connect ECONNREFUSED 127.0.0.1:27017'],
    '27017. It connects to MongoDB on port 27017 of its own machine, and a release runs alone: set the variable from which it reads the address, and deploy again.',
  ],
  [
    'a PostgreSQL that is expected beside the application',
    EXITED,
    ['Error: connect ECONNREFUSED ::1:5432'],
    'runs alone: create a database for the application, which sets DATABASE_URL, or set the variable from which it reads the address, and deploy again.',
  ],
  [
    'a variable of a database that does not exist',
    EXITED,
    ['PrismaClientInitializationError: error: Environment variable not found: DATABASE_URL.'],
    ' Set the variables that its log names, or create a database for the application, which sets DATABASE_URL, and deploy again.',
  ],
  [
    'a database that sleeps',
    EXITED,
    ['error: unable to accept connection, waking up cluster, please retry later'],
    ' Its database was not used for long and is waking up: deploy again.',
  ],
  ...[
    'error: unsupported statement: Listen',
    'error: type "serial" does not exist',
    'error: multiple ddl statements not supported in a transaction',
    'error: setting configuration parameter "client_min_messages" not supported',
    'error: datatype text[] not supported',
    'error: unsupported ALTER TABLE ADD CONSTRAINT statement',
    'error: Aurora DSQL does not support extensions.',
  ].map((line): [string, string, string[], string] => [
    `what Aurora DSQL lacks: ${line}`,
    EXITED,
    [`    at query`, line],
    'The databases are Aurora DSQL, which lacks some features of PostgreSQL: https://docs.aws.amazon.com/',
  ]),
  [
    'a server of any kind on IPv6, in a list of errors',
    EXITED,
    ['AggregateError [ECONNREFUSED]: ', '    [errors]: [', '      Error: connect ECONNREFUSED ::1:7700'],
    'It connects to a server on port 7700 of its own machine',
  ],
  [
    'a service of docker-compose',
    EXITED,
    ['Error: getaddrinfo EAI_AGAIN mongo'],
    'EAI_AGAIN mongo. There is no server named mongo where a release runs: set the variable',
  ],
  ['a host elsewhere', EXITED, ['Error: getaddrinfo ENOTFOUND db.example.com'], 'ENOTFOUND db.example.com.\n'],
  ...[
    'Error: Config validation error: "JWT_SECRET" is required',
    'Error: Missing required environment variable: "API_KEY"',
    '❌ Invalid env:',
    'Error: SESSION_SECRET must be set',
    'Error: MONGO_URL not provided',
  ].map((line): [string, string, string[], string] => [
    `a missing variable in words: ${line}`,
    EXITED,
    [line],
    ' Set the variables that its log names, and deploy again.',
  ]),
  ...[
    'Error: You must specify a Discord client public key',
    'Error: supabaseUrl is required.',
    'Error: secretOrPrivateKey must have a value',
    'TypeError: OAuth2Strategy requires a clientID option',
    'TypeError: JwtStrategy requires a secret or key',
    'Error: secret option required for sessions',
    'Error: Neither apiKey nor config.authenticator provided',
    'Error: @clerk/nextjs: Missing publishableKey.',
    'MongooseError: The `uri` parameter to `openUri()` must be a string, got "undefined".',
    'Error: SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string',
    'Error [TokenInvalid]: An invalid token was provided.',
  ].map((line): [string, string, string[], string] => [
    `a value that a library was not given: ${line}`,
    EXITED,
    [line],
    ' Set the variable from which it reads that value, and deploy again.',
  ]),
  [
    'an error whose first line is drawn',
    EXITED,
    ['TypeError: =====', '💨 Missing environment variables:', '    REDISHOST: Missing value or empty string'],
    'The new release ended with exit code 1 before it answered. Set the variables that its log names',
  ],
  ...[
    'ValiError: Invalid key: Expected "SERVICE_URL" but received undefined',
    'ArkErrors: SERVICE_URL must be a string (was missing)',
    'Error: (Missing data at SERVICE_URL: "Expected SERVICE_URL to exist in the process context")',
  ].map((line): [string, string, string[], string] => [
    `a missing variable in the words of a validator: ${line}`,
    EXITED,
    [line],
    ' Set the variables that its log names, and deploy again.',
  ]),
  [
    'variables that zod refuses, as an error prints them and as its properties',
    EXITED,
    [
      'ZodError: [',
      '  {',
      '    "code": "invalid_type",',
      '    "path": [',
      '      "DATABASE_URL"',
      '    ],',
      '    "message": "Required"',
      '  }',
      ']',
      "      path: [ 'SECRET' ],",
      "      path: [ 'DATABASE_URL' ],",
      "      path: [ 'items', 0 ],",
    ],
    'exit code 1 before it answered. Set the variables DATABASE_URL, SECRET, or create a database for the application, which sets DATABASE_URL, and deploy again.',
  ],
  [
    'a function of Bun',
    EXITED,
    ['ReferenceError: Bun is not defined'],
    'A release runs Node, which lacks the modules and functions of Bun: use those of Node.',
  ],
  [
    'a module of Bun',
    EXITED,
    [
      "Error [ERR_UNSUPPORTED_ESM_URL_SCHEME]: Only URLs with a scheme in: file, data, and node are supported by the default ESM loader. Received protocol 'bun:'",
    ],
    'functions of Bun: use those of Node.',
  ],
  ['a function of Deno', EXITED, ['ReferenceError: Deno is not defined'], 'functions of Deno: use those of Node.'],
  [
    'a server that only its own machine reaches by IPv6',
    TIMED_OUT,
    ['up', 'The application listens on PORT (8080) at ::1 alone, and nothing listens at 127.0.0.1.'],
    'within 30 seconds: it listens on PORT at ::1 alone, and requests arrive at 127.0.0.1: listen at 0.0.0.0, or without an address.',
  ],
  ['an error about a key of a list', EXITED, ['Error: Missing key "a" in list'], 'Error: Missing key "a" in list.\n'],
  ['a variable that is set', EXITED, ['NODE_ENV is set to production', 'Error: x'], 'Error: x.\n'],
  ['a name that the code does not define', EXITED, ['ReferenceError: API_KEY is not defined'], 'not defined.\n'],
  ['an error about a value', EXITED, ['Error: user_id is required'], 'Error: user_id is required.\n'],
  [
    'a script that ends',
    'RequestId: 1-2 Error: Runtime exited without providing a reason',
    ['done'],
    'The new release ended before it answered: a web application must listen on process.env.PORT',
  ],
  [
    'a script that ends without a word, in the log of the host',
    'Error: Runtime exited without providing a reason',
    ['Error: Runtime exited without providing a reason'],
    'The new release ended before it answered: a web application must listen on process.env.PORT, and a file that only exports one does not; programs without a web server are not hosted.',
  ],
  [
    'an exit code without a word, in the log of the host',
    EXITED,
    ['Error: Runtime exited with error: exit status 1'],
    'exit code 1 before it answered, and printed nothing. Set the variables that it requires, and the one that switches its log on',
  ],
  [
    'a client of Prisma that was not generated',
    EXITED,
    ['Error: @prisma/client did not initialize yet. Please run "prisma generate" and try to import it again.'],
    'import it again. The build must run that: set the build command to "npx prisma generate && npm run build".',
  ],
  [
    'a fixed port',
    TIMED_OUT,
    ['Server running on http://localhost:3000/'],
    'The new release did not answer within 30 seconds: nothing listens on PORT. Its log mentions port 3000: listen on process.env.PORT instead',
  ],
  ...[
    'Listening on port: 4000',
    'Example app on http://localhost:4000',
    'Server is up on port 4000',
    'Server started on port 4000, connected to MongoDB',
    'API live at http://127.0.0.1:4000/graphql',
    '🚀 http://localhost:4000',
    'Server ready to accept requests on http://localhost:4000',
    'Listening for requests on port 4000',
    'email-service listening on port 4000',
    'Proxy server listening on port 4000',
  ].map((line): [string, string, string[], string] => [
    `a fixed port in words: ${line}`,
    TIMED_OUT,
    [line],
    'Its log mentions port 4000',
  ]),
  [
    'a database that refuses the function of an extension, again and again',
    TIMED_OUT,
    [
      '[Nest] 1 - ERROR [TypeOrmModule] Unable to connect to the database. Retrying (1)...',
      'QueryFailedError: function uuid_generate_v4() does not exist',
      '    at PostgresQueryRunner.query (/app/node_modules/typeorm/driver.js:1:1)',
    ],
    'does not end. Its log says: QueryFailedError: function uuid_generate_v4() does not exist. The databases have no extensions, which provide that function: use gen_random_uuid(). In TypeORM, set uuidExtension to "pgcrypto"',
  ],
  [
    'a page that hangs, where PORT itself is logged',
    TIMED_OUT,
    ['Starting on port 8080', 'Server listening on port 8080'],
    'nothing listens on PORT at 127.0.0.1, or the response to / does not end.',
  ],
  [
    'a server that the application waits for',
    TIMED_OUT,
    [
      'Connecting to postgres on localhost:5432',
      'waiting until the database is ready on port 5432',
      'Debugger listening on ws://127.0.0.1:9229/0f2c',
      'The server fetches http://localhost:9200/index',
      'CORS allowed for app at http://localhost:5173',
      'App is calling http://localhost:7000/api',
      'redirect URI of the app: http://localhost:3000/callback',
      'The app waits for the API at http://localhost:5000',
      'cache server localhost:6379',
      'Error: the server did not answer: connect ECONNREFUSED 127.0.0.1:6379',
    ],
    'or the response to / does not end.',
  ],
  [
    'a worker, or a stream of events',
    TIMED_OUT,
    ['waiting for jobs', 'listening on port 25201'],
    'nothing listens on PORT at 127.0.0.1, or the response to / does not end. A web application must listen on process.env.PORT; programs without a web server are not hosted. Set healthCheckPath to a path whose response ends.',
  ],
  [
    'a killed process',
    'RequestId: 1-2 Error: Runtime exited with error: signal: killed',
    [],
    'used more memory than it has (1024 MB)',
  ],
  [
    'a write beside the code',
    EXITED,
    ["Error: EROFS: read-only file system, open 'a.txt'"],
    'The code folder is read-only at run time',
  ],
])('explains %s', (_what, error, lines, expected) => {
  const explained = explainReleaseFailure({ status: undefined, error }, '/', lines);
  expect(explained).toContain(expected);
  // A first deployment has none before it.
  expect(explained).not.toContain('previous release');
});

test.each([['next'], ['node_modules/.bin/next'], ['/var/log/app.log']])(
  'does not ask to make %s executable, which is no file of the repository',
  (file) => {
    const explained = explainReleaseFailure({ status: undefined, error: EXITED }, '/', [
      `sh: line 1: ${file}: Permission denied`,
    ]);
    expect(explained).not.toContain('executable');
  },
);

test('an error status is explained by the log', () => {
  const text = explainReleaseFailure({ status: 500, error: undefined }, '/health', [
    'TypeError: x is not a function',
    '    at y',
  ]);
  expect(text).toBe(
    [
      'The new release answered 500 on /health; a status below 500 is required. Its log says: TypeError: x is not a function.',
      '    The end of its log:',
      '    TypeError: x is not a function',
      '        at y',
    ].join('\n'),
  );
});

test('explains a release that prints a million characters in one line', () => {
  const text = explainReleaseFailure({ status: undefined, error: 'Sandbox.Timedout: Task timed out' }, '/', [
    'é'.repeat(1_000_000),
    'listening on port 3000',
  ]);
  expect(text).toContain('Its log mentions port 3000');
});

test('quotes the last 50 lines, and no more characters than the state of an execution holds', () => {
  const lines = Array.from({ length: 80 }, (_, index) => `line ${index}`);
  const text = explainReleaseFailure({ status: 500, error: undefined }, '/', lines);
  expect(text.split('\n').slice(2)).toEqual(lines.slice(-50).map((line) => `    ${line}`));
  const long = explainReleaseFailure(
    { status: 500, error: undefined },
    '/',
    lines.map((line) => line.repeat(10_000)),
  );
  expect(long.length).toBeLessThan(10_000);
});

test('quotes an error with its stack trace, however much output follows it', () => {
  const stack = Array.from({ length: 4 }, (_, index) => `    at step${index} (/var/task/server.js:${index}:1)`);
  const error = ['Error: the pool is closed', 'while it was used', ...stack];
  const after = Array.from({ length: 100 }, (_, index) => `request ${index}`);
  const quotedOf = (lines: string[]) =>
    explainReleaseFailure({ status: 500, error: undefined }, '/', lines)
      .split('\n')
      .slice(1)
      .map((line) => line.slice(4));
  const rest = after.slice(-50 + error.length);
  const headed = ['The error in its log:', ...error, 'The end of its log:', ...rest];
  expect(quotedOf(['starting', ...error, ...after])).toEqual(headed);
  expect(quotedOf([...error, ...after.slice(0, 44)]), 'within the last lines').toEqual([
    'The end of its log:',
    ...error,
    ...after.slice(0, 44),
  ]);
  expect(quotedOf(['Error: no stack', ...after]).slice(0, 3)).toEqual([
    'The error in its log:',
    'Error: no stack',
    'The end of its log:',
  ]);
  const long = quotedOf([...error, ...stack, ...stack, ...stack, ...after].map((line) => line.padEnd(1000, '.')));
  expect(long).toHaveLength(2 + 8000 / 500 - 1);
  expect(long.slice(1, 13).every((line, index) => line.startsWith([...error, ...stack, ...stack][index] ?? '?'))).toBe(
    true,
  );
});

test('says what the framework needs if the server that its build created only exports the application', () => {
  const start = 'node dist/server/entry.mjs';
  const ended = { status: undefined, error: 'RequestId: 1-2 Error: Runtime exited without providing a reason' };
  const explain = (framework: string, own: string) =>
    explainReleaseFailure(ended, '/', [], endedServerAdvice({ framework, start: own }));
  expect(explain('Astro', start)).toBe(
    'The new release ended before it answered: a web application must listen on process.env.PORT, and a file that only exports one does not; use @astrojs/node with mode "standalone" for pages that a server renders.',
  );
  for (const text of [explain('Astro', 'node server.js'), explain('Express', start)])
    expect(text).toContain('does not; programs without a web server are not hosted.');
});

test.each([
  [
    ['error: Failed to lift app: Error: ', '-*-*-', 'No `onlyAllowOrigins` setting was detected.', '    at x'],
    'No `only',
  ],
  [['info: up', '[error] cannot read the settings'], '[error] cannot read the settings.'],
])('quotes the error that a logger printed before a release ended without an exit code: %j', (lines, expected) => {
  const error = 'RequestId: 1-2 Error: Runtime exited without providing a reason';
  const [explained = ''] = explainReleaseFailure({ status: undefined, error }, '/', lines).split('\n');
  expect(explained).toMatch(/^The new release ended before it answered\. Its log says: /);
  expect(explained).toContain(expected);
  expect(explained).not.toContain('not hosted');
});
