import { truncate } from '../../contract/text.ts';
import type { HealthCheck } from '../../providers/app-host/app-host.ts';
import { MEMORY_MB, TIMEOUT_SECONDS } from '../../providers/app-host/resources.ts';
import { lacksValue, lacksVariable, rejectedVariables } from '../../providers/builds/missing-variables.ts';
import { UNSUPPORTED, UNSUPPORTED_ADVICE } from '../../providers/databases/unsupported.ts';

/** Lines of output that a failure quotes, and their total size in characters: the state of an execution holds 32 KB. */
const MAX_QUOTED_LINES = 50;
const MAX_QUOTED_CHARACTERS = 8000;
const MAX_LINE_LENGTH = 500;
/** Lines of these for an error with its stack trace that was printed before the last lines. */
const MAX_ERROR_LINES = 12;
/** Characters of a line that are examined: an application may print megabytes in one line. */
const MAX_EXAMINED = 2000;
/** The value of PORT on AWS, and its smallest value in the local run (local/processes/ports.ts). A log that mentions them shows no mistake. */
const PORT = 8080;
const FIRST_LOCAL_PORT = 12_000;

/** Lambda's line about a process that exited, which follows the release's own lines in the host's log. */
const RUNTIME_EXIT = /^(?:RequestId: \S+ )?Error: Runtime exited with(?:out providing a reason| error: )/;

/** An error's message as Node prints it: `Error: …`, `MongoParseError: …`, `Error [ERR_X]: …`. Messages without a letter or digit are skipped. */
const ERROR_MESSAGE = /^\s*(?:Uncaught )?(?:\w+\.)*\w*(?:Error|Exception)(?: \[\w+\])?: (?=.*[\p{L}\d])\S/u;
/** An error as loggers print it: `error: Failed to lift app: Error: `. */
const LOGGED_ERROR = /^\W{0,3}error\b\W{1,3}(?=\S)/i;
/** Words of lines about the application's server, and words before a port that belongs to another server, such as a database. */
const LISTENS = /\b(?:listen\w*|running|started|ready|serving|available|local|live|up)\b/i;
const CONNECTS = /connect|database|\bdb\b|postgres|mysql|mariadb|mongo|redis|amqp|kafka|smtp|debugger/i;
/** Lines that consist of an address, alone or after the name of a server such as `API server`. */
const NAMES_SERVER =
  /^\W*(?:(?:example|express|my|the|web|http|node)\W+)*(?:app|api|server)?(?:\W+(?:is|on|at))*\W*(?:https?:|port\b|localhost\b)/i;
/** The platform's line about an application that listens at an address without requests (builder/app-runtime/other-port.ts). */
const OTHER_ADDRESS = /^The application listens on PORT \(\d+\) at ([\da-f:.]+) alone/;
const PORT_MENTION = /(?:\bport\b\D{0,12}|(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):)(\d{2,5})\b/i;

/** Servers by their usual ports, for applications that expect one on the same machine, as in development. */
const SERVERS: Readonly<Record<string, string>> = {
  1433: 'SQL Server',
  3306: 'MySQL',
  5432: 'PostgreSQL',
  5672: 'RabbitMQ',
  6379: 'Redis',
  9092: 'Kafka',
  9200: 'Elasticsearch',
  11211: 'Memcached',
  27017: 'MongoDB',
};
const REMEDY = 'set the variable from which it reads the address, and deploy again';
const CREATE_DATABASE = 'create a database for the application, which sets DATABASE_URL';

/** Advice for errors whose message does not say what to do, in order of precedence. */
const ADVICE: readonly [pattern: RegExp, advice: string | ((found: RegExpExecArray) => string)][] = [
  [/JavaScript heap out of memory/, `It used more memory than it has: ${MEMORY_MB} MB.`],
  [
    /EROFS|read-only file system/i,
    'The code folder is read-only at run time: write temporary files to /tmp, and keep data in a database.',
  ],
  [
    /Cannot find module '[^']*\.node'|Could not locate the bindings file/,
    'A package has no compiled module: its install script was not run (with pnpm, approve it with "pnpm approve-builds", or in pnpm.onlyBuiltDependencies of package.json), or the lockfile lacks its package for Linux.',
  ],
  [
    /\b(Bun|Deno) is not defined\b|Received protocol '(bun|jsr):'|Cannot find package '(bun)'/,
    (found) =>
      `A release runs Node, which lacks the modules and functions of ${/deno|jsr/i.test(found[0]) ? 'Deno' : 'Bun'}: use those of Node.`,
  ],
  [
    /Cannot find module '(?![^']*\.(?:[cm]?[jt]sx?|json|node|wasm)')[^']+\/[^']+' imported from|Directory import '[^']+' is not supported/,
    'An import of an ES module names the file with its extension, such as "./file.js" or "./directory/index.js", in TypeScript too.',
  ],
  [
    /Cannot find (?:module|package) '(?:[./]|file:)/,
    'The file is not in the release: check that the build creates it, that .gitignore does not keep it out of the repository, and that its name has the same upper and lower case.',
  ],
  [
    /Cannot find (?:module|package) '/,
    'Only "dependencies" are part of a release: add the package there, not to "devDependencies".',
  ],
  [
    /@prisma\/client did not initialize yet/,
    'The build must run that: set the build command to "npx prisma generate && npm run build".',
  ],
  [
    /ERR_UNKNOWN_FILE_EXTENSION\]: Unknown file extension "\.[cm]?ts"/,
    'Node 20 runs no TypeScript: set the version of Node to 22 or later, compile the code in the build, or start it with tsx ("tsx server.ts").',
  ],
  [
    /ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX/,
    'Node only removes types: compile the code in the build, or start it with tsx ("tsx server.ts").',
  ],
  [
    // Neither a package's program nor a file of the system, to which the output was redirected.
    /^(?:\S*\/)?sh: (?:line )?\d+: (?!\/|\S*node_modules\/)(?=\S*\/)(\S+): Permission denied/,
    ([, file]) => `The file is not executable: run "git update-index --chmod=+x ${file}", commit, and deploy again.`,
  ],
  [
    /\benv: \W\w+\\r\W|\^M: bad interpreter/,
    'The file has the line ends of Windows, with which its first line names no program: save it with those of Linux (LF).',
  ],
  [
    /ECONNREFUSED (?:127\.0\.0\.1|\[?::1\]?|localhost):(\d+)/,
    ([, port = '']) => {
      const name = SERVERS[port] ?? 'a server';
      const remedy = port === '5432' ? `${CREATE_DATABASE}, or ${REMEDY}` : REMEDY;
      return `It connects to ${name} on port ${port} of its own machine, and a release runs alone: ${remedy}.`;
    },
  ],
  [/waking up cluster, please retry later/, 'Its database was not used for long and is waking up: deploy again.'],
  [
    /function uuid_generate_v\d\w*\(\) does not exist/,
    'The databases have no extensions, which provide that function: use gen_random_uuid(). In TypeORM, set uuidExtension to "pgcrypto" and installExtensions to false, and create the tables by migrations instead of synchronize.',
  ],
  [UNSUPPORTED, UNSUPPORTED_ADVICE],
  [
    // Names without a dot are usually services of a docker-compose.yml.
    /getaddrinfo (?:ENOTFOUND|EAI_AGAIN) ([\w-]+)(?![\w.-])/,
    ([, host]) => `There is no server named ${host} where a release runs: ${REMEDY}.`,
  ],
];

/** Returns the index of the last error that a release printed; -1 if it printed none. */
const lastErrorIndex = (lines: readonly string[]): number => lines.findLastIndex((line) => ERROR_MESSAGE.test(line));

/** Returns the last error that a logger printed; undefined if there is none. Its message may begin in a line below. */
function loggedError(lines: readonly string[]): string | undefined {
  const index = lines.findLastIndex((line) => LOGGED_ERROR.test(line));
  const line = lines[index]?.trim();
  if (line === undefined || !line.endsWith(':')) return line;
  const message = lines.slice(index + 1).find((below) => /[\p{L}\d]/u.test(below)) ?? '';
  return truncate(`${line} ${message.trim()}`.trim(), MAX_LINE_LENGTH);
}

const withFullStop = (sentence: string): string => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`);

/** Returns the last port other than PORT that a release says it listens on; undefined if it mentions none. */
const fixedPort = (lines: readonly string[]): number | undefined =>
  lines
    .filter((line) => LISTENS.test(line) || NAMES_SERVER.test(line))
    .map((line) => PORT_MENTION.exec(line))
    .map((found) => (found && !CONNECTS.test(found.input.slice(0, found.index)) ? Number(found[1]) : 0))
    .findLast((port) => port > 0 && port !== PORT && port < FIRST_LOCAL_PORT);

/** The end of the sentence about a release that ended with an error and printed nothing. */
const SILENT =
  ', and printed nothing. Set the variables that it requires, and the one that switches its log on (often LOG_LEVEL), and deploy again.';

/** Explains why a release that runs did not answer in time. */
function explainSilence(path: string, lines: readonly string[], printed: string | undefined): string {
  const [, address] = lines.map((line) => OTHER_ADDRESS.exec(line)).findLast((found) => found !== null) ?? [];
  if (address !== undefined)
    return `it listens on PORT at ${address} alone, and requests arrive at 127.0.0.1: listen at 0.0.0.0, or without an address.`;
  const port = fixedPort(lines);
  if (port !== undefined)
    return `nothing listens on PORT. Its log mentions port ${port}: listen on process.env.PORT instead of a fixed port.`;
  // An application that tries again and again to connect to its database says why.
  return printed !== undefined
    ? `nothing listens on PORT at 127.0.0.1, or the response to ${path} does not end. Its log says: ${withFullStop(printed)}`
    : `nothing listens on PORT at 127.0.0.1, or the response to ${path} does not end. A web application must listen on process.env.PORT; programs without a web server are not hosted. Set healthCheckPath to a path whose response ends.`;
}

/** Explains why a release did not answer at all. */
function explainNoResponse(
  error: string,
  {
    path,
    lines,
    printed,
    serverAdvice,
  }: { path: string; lines: readonly string[]; printed: string | undefined; serverAdvice: string | undefined },
): string {
  if (/signal: killed|OutOfMemory/i.test(error)) {
    return `The new release used more memory than it has (${MEMORY_MB} MB) and was killed.`;
  }
  if (/timed out/i.test(error))
    return `The new release did not answer within ${TIMEOUT_SECONDS} seconds: ${explainSilence(path, lines, printed)}`;
  if (printed !== undefined) return `The new release did not start: ${withFullStop(printed)}`;
  const code = /exit status (\d+)/.exec(error)?.[1];
  if (code !== undefined)
    return `The new release ended with exit code ${code} before it answered${lines.length > 0 ? '.' : SILENT}`;
  if (/exited without providing a reason|exit status 0/.test(error)) {
    const logged = loggedError(lines);
    if (logged !== undefined) return `The new release ended before it answered. Its log says: ${withFullStop(logged)}`;
    return `The new release ended before it answered: a web application must listen on process.env.PORT, and a file that only exports one does not; ${serverAdvice ?? 'programs without a web server are not hosted'}.`;
  }
  return `The new release did not answer: ${withFullStop(error)}`;
}

/** Returns the first advice that matches the output of a release; an empty list if there is none. */
function adviceFor(lines: readonly string[]): string[] {
  for (const [pattern, advice] of ADVICE) {
    const found = lines.map((line) => pattern.exec(line)).findLast((match) => match !== null);
    if (found) return [typeof advice === 'string' ? advice : advice(found)];
  }
  const rejected = rejectedVariables(lines.join('\n'));
  const missing = rejected === undefined ? lines.filter(lacksVariable) : [rejected];
  const variables = rejected ?? 'the variables that its log names';
  if (missing.some((line) => /\bDATABASE_URL\b/.test(line)))
    return [`Set ${variables}, or ${CREATE_DATABASE}, and deploy again.`];
  if (missing.length > 0) return [`Set ${variables}, and deploy again.`];
  return lines.some(lacksValue) ? ['Set the variable from which it reads that value, and deploy again.'] : [];
}

const shorten = (line: string): string =>
  line.length > MAX_LINE_LENGTH ? `${truncate(line, MAX_LINE_LENGTH)}…` : line;

/** Returns the last lines of the output, within the limits of a quotation that also has the lines in `beside`. */
function quoteEnd(lines: readonly string[], beside: readonly string[] = []): string[] {
  const kept: string[] = [];
  let characters = beside.join('').length;
  for (const line of lines.toReversed()) {
    const cut = shorten(line);
    characters += cut.length;
    if (kept.length + beside.length === MAX_QUOTED_LINES || characters > MAX_QUOTED_CHARACTERS) break;
    kept.unshift(cut);
  }
  return kept;
}

/** Returns an error with its stack trace: its first lines, if there are many. @param index of its message */
function quoteError(lines: readonly string[], index: number): string[] {
  const near = lines.slice(index, index + MAX_ERROR_LINES);
  return near.slice(0, near.findLastIndex((line) => /^\s+at /.test(line)) + 1 || 1).map(shorten);
}

/** Quotes the end of the output, under a heading, and before it the last error if that was printed earlier. @param index of the error; -1 if there is none */
function quote(lines: readonly string[], index: number): string[] {
  const end = quoteEnd(lines);
  if (end.length === 0) return [];
  if (index < 0 || index >= lines.length - end.length) return ['The end of its log:', ...end];
  const error = quoteError(lines, index);
  return [
    'The error in its log:',
    ...error,
    'The end of its log:',
    ...quoteEnd(lines.slice(index + error.length), error),
  ];
}

/**
 * Explains a failed health check to the application's owner: the error that the release printed, advice on how to fix it, and the
 * end of its output, with the error's stack trace.
 * @param path the path that was requested
 * @param log the last lines of the release's log, without secrets
 * @param serverAdvice the framework's advice, if its own server was started (providers/builds/detection/frameworks.ts)
 */
export function explainReleaseFailure(
  { status, error = '' }: Pick<HealthCheck, 'status' | 'error'>,
  path: string,
  log: readonly string[],
  serverAdvice?: string,
): string {
  const lines = log.filter((line) => !RUNTIME_EXIT.test(line)).map((line) => truncate(line, MAX_EXAMINED));
  const index = lastErrorIndex(lines);
  const printed = index < 0 ? undefined : truncate(lines[index]?.trim() ?? '', MAX_LINE_LENGTH);
  const logged = printed === undefined ? '' : ` Its log says: ${withFullStop(printed)}`;
  const reason =
    status === undefined
      ? explainNoResponse(error.replace(/^RequestId: \S+ (Error: )?/, ''), { path, lines, printed, serverAdvice })
      : `The new release answered ${status} on ${path}; a status below 500 is required.${logged}`;
  const sentences = [reason, ...adviceFor(lines)].join(' ');
  return [sentences, ...quote(lines, index).map((line) => `    ${line}`)].join('\n');
}
