import { existsSync, globSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { FRAMEWORK_DEFAULTS } from '../../contract/enums.ts';
import type { Job } from '../../providers/builds/builds.ts';
import type { Framework } from '../../providers/builds/detection/frameworks.ts';
import type { Manifest } from '../../providers/builds/detection/manifest.ts';
import { parseProcfile } from '../../providers/builds/detection/procfile.ts';
import { BuildFailure } from '../failure.ts';
import { readBeginning } from '../read-text.ts';
import { isFrontPageRule } from '../site/site.ts';
import { packagesNear } from './packages.ts';

/** Warnings for packages that do not work on the platform, or not without changes. */
const WARNINGS: readonly [packages: readonly string[], text: (name: string) => string][] = [
  [
    [
      'ws',
      'socket.io',
      'websocket',
      'uWebSockets.js',
      '@fastify/websocket',
      'express-ws',
      '@nestjs/websockets',
      '@hono/node-ws',
      '@feathersjs/socketio',
      'sails-hook-sockets',
    ],
    (name) =>
      `warning: ${name} serves WebSockets, which are not supported: upgrades are answered with 501. HTTP requests, server-sent events and long polling work.`,
  ],
  [
    [
      'bullmq',
      'bull',
      'agenda',
      'bee-queue',
      'node-cron',
      'cron',
      'node-schedule',
      'amqplib',
      'kafkajs',
      'pg-boss',
      '@nestjs/schedule',
      '@nestjs/bullmq',
      'discord.js',
      'telegraf',
      'grammy',
      'node-telegram-bot-api',
    ],
    (name) =>
      `warning: ${name} works in the background, and an application only runs while it answers requests: jobs and timers are not reliable here.`,
  ],
  [
    ['sqlite3', 'better-sqlite3', '@payloadcms/db-sqlite', 'nedb', 'lowdb', 'node-persist'],
    (name) =>
      `warning: ${name} keeps data in files; the disk of a release is read-only apart from /tmp, which is emptied at any time: use a database.`,
  ],
  [
    ['express-basic-auth', 'http-auth', 'basic-auth', '@fastify/basic-auth', 'koa-basic-auth', 'passport-http'],
    (name) =>
      `warning: ${name} asks with WWW-Authenticate, which AWS renames: browsers show no password prompt. A sign-in page works, and so do clients that send Authorization unasked.`,
  ],
];

/** Returns warnings about the application's dependencies, which appear early in the log. */
export function warningsFor({ dependencies }: Pick<Manifest, 'dependencies'>): string[] {
  return WARNINGS.flatMap(([packages, text]) => {
    const found = packages.find((name) => Object.hasOwn(dependencies, name));
    return found === undefined ? [] : [text(found)];
  });
}

export type CommandSettings = Pick<Job, 'framework' | 'startCommand' | 'buildCommand' | 'installCommand'>;

/** Returns true if the owner set a command, which may work without a package.json. */
export const namesCommands = ({ framework, startCommand, buildCommand, installCommand }: CommandSettings): boolean =>
  startCommand !== null ||
  !['', null, FRAMEWORK_DEFAULTS[framework].buildCommand].includes(buildCommand) ||
  installCommand !== 'npm ci';

/** Files that identify projects in other languages, and the names of those. */
const OTHER_PROJECTS: readonly [file: string, name: string][] = [
  ['requirements.txt', 'Python'],
  ['pyproject.toml', 'Python'],
  ['go.mod', 'Go'],
  ['Cargo.toml', 'Rust'],
  ['Gemfile', 'Ruby'],
  ['composer.json', 'PHP'],
  ['pom.xml', 'Java'],
  ['deno.json', 'Deno'],
  ['deno.jsonc', 'Deno'],
];

/** Returns a sentence that names the language of a repository, such as `This is a Deno project`; undefined if it is unknown. */
export function otherProject(directory: string): string | undefined {
  const name = OTHER_PROJECTS.find(([file]) => existsSync(join(directory, file)))?.[1];
  return name && `This is a ${name} project`;
}
/** The end of a failure for a project in another language. */
export const BUILDS_NODE = 'the platform builds Node.js applications and static sites.';

/**
 * Throws BuildFailure if the root directory is a project of Nx without a package.json: Nx installs and builds it from the root of the
 * workspace, where the output of the build is.
 */
export function assertNoNxProject(
  repository: string,
  directory: string,
  manifest: Manifest | undefined,
  job: CommandSettings,
): void {
  const isProject = directory !== repository && existsSync(join(directory, 'project.json'));
  if (manifest || namesCommands(job) || !isProject || !existsSync(join(repository, 'nx.json'))) return;
  const path = relative(repository, directory).replaceAll('\\', '/');
  const isNext = globSync('next.config.*', { cwd: directory }).length > 0;
  const server = isNext ? `${path}/.next/standalone/${path}/server.js` : `dist/${path}/main.js`;
  throw new BuildFailure(
    `The root directory "${path}" is a project of the repository's Nx workspace and has no package.json: set rootDirectory to null and the build command to "npx nx build ${basename(path)}". If the workspace has several servers, set startFile to the one to start, such as "${server}".`,
  );
}

/**
 * Throws BuildFailure if a repository contains nothing that the platform can build or serve. Runs before anything is installed.
 */
export function assertBuildable(
  directory: string,
  manifest: Manifest | undefined,
  job: CommandSettings & Pick<Job, 'startFile'>,
): void {
  if (manifest || namesCommands(job)) return;
  const servable = [job.startFile, 'public/index.html', 'Procfile'].some((file) => existsSync(join(directory, file)));
  if (servable || globSync('*.{js,mjs,cjs,ts,html}', { cwd: directory }).length > 0) return;
  const packages = packagesNear(directory);
  if (packages.length > 0) {
    const listed = packages.slice(0, 5).join(', ');
    throw new BuildFailure(`There is no package.json here, but there is one in ${listed}: set rootDirectory.`);
  }
  const without = existsSync(join(directory, 'Dockerfile'))
    ? 'The repository has a Dockerfile, which is not used, and no package.json'
    : 'There is no package.json and no index.html';
  throw new BuildFailure(`${otherProject(directory) ?? without}: ${BUILDS_NODE}`);
}

/** Returns a note if a Node project has a Dockerfile, which is not used. */
export const dockerfileNote = (directory: string, framework: Framework | undefined): string[] =>
  existsSync(join(directory, 'Dockerfile'))
    ? [`Dockerfile is not used: the application is built as ${framework?.name ?? 'a Node.js project'}`]
    : [];

/** Returns warnings about processes of a Procfile that are not run beside `web`. */
export function processNotes(procfile: string): string[] {
  const { web, release, ...others } = parseProcfile(procfile);
  const names = web === undefined ? [] : Object.keys(others);
  return [
    ...(release === undefined
      ? []
      : [`warning: the Procfile's release command is not run: "${release}". Add it to the build command.`]),
    ...(names.length === 0
      ? []
      : [`warning: of the Procfile, only "web" is run; background processes are not hosted: ${names.join(', ')}`]),
  ];
}

/** Returns notes about the databases of an application: the variables of its release, and why it lacks some. */
export function databaseNotes({
  databases,
  databasePasswords = {},
  pendingDatabases = [],
  variables,
}: Pick<Job, 'databases' | 'databasePasswords' | 'pendingDatabases' | 'variables'>): string[] {
  const received = databases.map(({ prefix }) => `${prefix}_URL`).join(', ');
  const closed = databases.filter(({ prefix }) => databasePasswords[prefix] === undefined);
  return [
    ...(databases.length > 0 ? [`databases: the build and the release receive DATABASE_URL and ${received}`] : []),
    ...closed.map(
      ({ prefix }) =>
        `warning: the build does not receive ${prefix}_URL, because applications cannot open the database at the moment`,
    ),
    ...(databases.length > 0 && Object.hasOwn(variables, 'DATABASE_URL')
      ? ['warning: your own variable DATABASE_URL takes precedence over that of the database']
      : []),
    ...pendingDatabases.map(
      (name) =>
        `warning: the database ${name} is still being created, so this release lacks its variables: deploy again when it is available`,
    ),
  ];
}

/** Bytes of a file `_redirects` that are examined. */
const MAX_REDIRECTS_BYTES = 1024 * 1024;

/** Returns warnings about files in a site that other hosts apply, and this one does not. */
export function siteWarnings(site: string): string[] {
  const redirects = join(site, '_redirects');
  const rules = existsSync(redirects) ? readBeginning(redirects, MAX_REDIRECTS_BYTES).split('\n') : [];
  const isIgnored = rules.some((line) => /^\s*[^#\s]/.test(line) && !isFrontPageRule(line));
  return [
    ...(isIgnored ? ['warning: _redirects has rules that are not applied: only "/* /index.html 200" is.'] : []),
    ...(existsSync(join(site, '_headers')) ? ['warning: _headers is not applied: only a server can set headers.'] : []),
  ];
}
