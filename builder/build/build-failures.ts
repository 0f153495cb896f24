import type { Job } from '../../providers/builds/builds.ts';
import type { Manifest } from '../../providers/builds/detection/manifest.ts';
import { lacksVariable, rejectedVariables } from '../../providers/builds/missing-variables.ts';
import { UNSUPPORTED, UNSUPPORTED_ADVICE } from '../../providers/databases/unsupported.ts';

/** Returns a command with a variable, which an assignment before the first of several commands would give to that one only. */
const withVariable = (assignment: string, command: string): string =>
  /[;&|\n]/.test(command) ? `export ${assignment} && ${command}` : `${assignment} ${command}`;

/** Characters of the end of the output in which a program that a shell misses is the cause: builds survive it earlier (`husky || true`). */
const MAX_LAST_WORDS = 2000;

/** Advice for an error whose message does not say what to do. */
interface Advice {
  pattern: RegExp;
  /** True if the error is the cause only at the end of the output. */
  isLast?: true;
  text: (match: RegExpExecArray, command: string) => string;
}

/** Advice about the application's own code. */
const CODE_ADVICE: readonly Advice[] = [
  {
    // As tsc prints it for a log: `src/a.ts(1,2): error TS2322: …`, and `error TS18003: …` about the whole project.
    pattern: /^((?:[^\s(]{1,200}\(\d+,\d+\): )?error TS\d+: .{1,300})/m,
    text: ([, error = '']) => `Its log says "${error.trim()}".`,
  },
  {
    // As Next.js prints it.
    pattern: /^(\.\/\S{1,200}:\d+:\d+)\n(Type error: .{1,300})/m,
    text: ([, place, error = '']) => `Its log says "${error.trim()}" about ${place}.`,
  },
];

/** In order of precedence. */
const ADVICE: readonly Advice[] = [
  {
    pattern: /ERR_OSSL_EVP_UNSUPPORTED|digital envelope routines::(?:unsupported|initialization error)/,
    text: (_, command) =>
      `A tool of the build, such as webpack 4, uses a hash function that OpenSSL 3 lacks: update it, or set the build command to "${withVariable('NODE_OPTIONS=--openssl-legacy-provider', command)}".`,
  },
  {
    pattern: /Treating warnings as errors because process\.env\.CI = true/,
    text: (_, command) =>
      `Create React App treats warnings as errors where CI is true: correct them, or set the build command to "${withVariable('CI=false', command)}".`,
  },
  {
    pattern: /^(?:sh|bash|\/bin\/sh): (?:line )?\d+: ([\w@.+-]{1,100}): (?:command )?not found/m,
    isLast: true,
    text: ([, program]) =>
      `No package provides the program "${program}": add the one that does to package.json, and commit the lockfile too.`,
  },
  {
    pattern: /^(?:sh|bash|\/bin\/sh): (?:line )?\d+: ([\w@.+-]{1,100}): Permission denied/m,
    isLast: true,
    text: ([, program]) =>
      `The file of "${program}" is not executable. If the repository contains node_modules, remove it ("git rm -r --cached node_modules"), and commit: each build installs it.`,
  },
  {
    // Some tools go on with the command that installs it, and others that it needs.
    pattern:
      /\bThe ["'`]((?:@[\w.-]{1,100}\/)?[\w.-]{1,100})["'`] package is required\b(?:[^\n]{0,200}\n\s{0,20}npm install (?:--save-dev|-D) ([@\w./ -]{1,200}))?/,
    isLast: true,
    text: ([, name = '', names = name]) =>
      `Run "npm install --save-dev ${names.trim()}", or the same with your package manager, and commit.`,
  },
  {
    pattern: /EACCES: permission denied, \w+ '(\/[^']{1,200})'/,
    text: ([, path]) => `The build may not write to "${path}": it may write below the repository and to /tmp.`,
  },
  {
    pattern:
      /(?:Can't resolve|Cannot find module|Could not resolve|Failed to resolve import) ['"](\.{1,2}\/[^'"]{1,200})['"]/,
    text: ([, path]) =>
      `If "${path}" exists on your machine, check that .gitignore does not keep it out of the repository, and that its name has the same upper and lower case: builds run on Linux.`,
  },
  ...CODE_ADVICE,
];

/** A program that creates code which repositories leave out, and the messages about code that it did not create. */
interface Generator {
  name: string;
  /** The package that provides the program. */
  package: string;
  command: string;
  missing: RegExp;
}

const GENERATORS: readonly Generator[] = [
  {
    name: "Prisma's client",
    package: 'prisma',
    // Before version 7, the installation of @prisma/client ran it.
    command: 'prisma generate',
    missing:
      /(?:Can't resolve|Cannot find module|Could not resolve|Failed to resolve import) ['"](?:[^'"\n]{0,200}\bgenerated\/(?:prisma|client)\b|[^'"\n]{0,200}\.prisma\/client\b)|@prisma\/client did not initialize yet|Module '"@prisma\/client"' has no exported member/,
  },
];

/**
 * Returns the code that a failed build command lacks because no command generated it, and the build command that generates it first;
 * undefined if no code is missing, or if the application does not depend on its generator.
 */
export function missingGeneratedCode(
  printed: string,
  command: string,
  manifest: Pick<Manifest, 'dependencies' | 'devDependencies'> | undefined,
): { name: string; command: string } | undefined {
  const packages = { ...manifest?.dependencies, ...manifest?.devDependencies };
  const generator = GENERATORS.find(
    (each) => Object.hasOwn(packages, each.package) && !command.includes(each.command) && each.missing.test(printed),
  );
  return generator && { name: generator.name, command: `${generator.command} && ${command}` };
}

/** Returns the first advice that matches, with a space before it; empty if none does. */
function firstAdvice(advice: readonly Advice[], printed: string, command: string): string {
  for (const { pattern, isLast, text } of advice) {
    const match = pattern.exec(isLast ? printed.slice(-MAX_LAST_WORDS) : printed);
    if (match) return ` ${text(match, command)}`;
  }
  return '';
}

/** Returns a sentence about the cause and the remedy of a failed build command, with a space before it; empty if the cause is unknown. */
export const buildFailureAdvice = (printed: string, command: string): string => firstAdvice(ADVICE, printed, command);

/** As {@link buildFailureAdvice}, for an installation, whose scripts (`prepare`) may compile the application. */
export const codeAdvice = (printed: string): string => firstAdvice(CODE_ADVICE, printed, '');

const DATABASE_VARIABLE = /\bDATABASE_(?:\w+_)?(?:URL|HOST|PORT|NAME|USER|PASSWORD|REGION)\b/;
/** Matches the error of a driver that received no address, and of SvelteKit about a variable that does not exist. */
const [CONNECTS_LOCALLY, NOT_EXPORTED] = [
  /ECONNREFUSED (?:127\.0\.0\.1|\[?::1\]?|localhost):5432\b/,
  /"DATABASE_\w+" is not exported by/,
];

/** Matches the output of `drizzle-kit migrate`, which ends without a reason when it cannot create its own table. */
const DRIZZLE_MIGRATES =
  /driver for database querying\b(?![\s\S]*applied successfully)[\s\S]*applying migrations\.\.\./;
const DRIZZLE_ADVICE =
  "Drizzle's migrate needs the type serial, and several changes of tables in one transaction, which the databases (Aurora DSQL) lack: run its SQL files with a script that executes each statement in a transaction of its own.";

/** Returns true if a failed command lacked a variable of a database. */
const lacksDatabase = (printed: string): boolean =>
  NOT_EXPORTED.test(printed) ||
  DATABASE_VARIABLE.test(rejectedVariables(printed) ?? '') ||
  printed.split('\n').some((line) => DATABASE_VARIABLE.test(line) && lacksVariable(line));

/**
 * Returns advice, with a space before it, if a failed command needs a database that it did not receive, or a feature that the databases lack;
 * empty otherwise.
 */
export function databaseAdvice(
  printed: string,
  {
    databases,
    databasePasswords = {},
    pendingDatabases = [],
  }: Pick<Job, 'databases' | 'databasePasswords' | 'pendingDatabases'>,
): string {
  if (databases.length > 0 && DRIZZLE_MIGRATES.test(printed)) return ` ${DRIZZLE_ADVICE}`;
  if (databases.length > 0 && UNSUPPORTED.test(printed)) return ` ${UNSUPPORTED_ADVICE}`;
  const [pending] = pendingDatabases;
  const connects = CONNECTS_LOCALLY.test(printed);
  if (!connects && !lacksDatabase(printed)) return '';
  if (pending !== undefined)
    return ` The database ${pending} is still being created: deploy again when it is available.`;
  if (databases.some(({ prefix }) => databasePasswords[prefix] === undefined))
    return ' Applications cannot open its database at the moment: if it is at a limit, GET /v1/databases shows that as "access".';
  // The advice about missing variables quotes the message, and names the others too.
  if (!connects) return '';
  const remedy =
    databases.length > 0
      ? 'read the address from DATABASE_URL'
      : 'create a database for the application, which sets DATABASE_URL, or set the variable yourself, and deploy again';
  return ` It connects to PostgreSQL on port 5432 of its own machine, where nothing listens: ${remedy}.`;
}
