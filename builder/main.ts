/**
 * The builder. Runs once per deployment in CodeBuild: reads its job, and stores a log, an artifact and a result with the presigned requests in
 * the job. Exits with 0 if the application was packaged. It has no credentials of its own (docs/decisions/0028-isolated-builds.md).
 */
import { chmodSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Result } from '../providers/builds/builds.ts';
import { PLATFORM_FAULT } from '../providers/builds/failures.ts';
import { createRedactor } from '../providers/builds/redaction.ts';
import { buildApplication } from './build/application.ts';
import { limitBuild } from './build/limits.ts';
import { selectNode } from './build/node-version.ts';
import { createBuildUser } from './commands/build-user.ts';
import type { User } from './commands/child.ts';
import { commandEnvironment } from './commands/command.ts';
import { assertIsolated } from './commands/self-test.ts';
import { BuildFailure, describeFileError } from './failure.ts';
import { createCache } from './install/cache.ts';
import { readAndDeleteJob } from './job/job.ts';
import { openObject, storeObject } from './job/objects.ts';
import { commandVariables, passwordSecrets } from './job/passwords.ts';
import { createBuildLog } from './log/log.ts';
import { createSections } from './log/sections.ts';
import { readSettings } from './settings.ts';

const settings = readSettings(process.env);
const { BUILD_REPOSITORY_MB: megabytes, BUILD_REPOSITORY_FILES: files } = settings;
const limits = { ...(megabytes ? { megabytes } : {}), ...(files ? { files } : {}) };
const limit = limitBuild({ seconds: settings.BUILD_SECONDS, gigabytes: settings.BUILD_DISK_GB }, tmpdir());

/** Creates the user of the application's commands and tests its isolation. Returns undefined if the commands run as the builder's user. */
async function prepareUser(PATH: string): Promise<User | undefined> {
  if (settings.BUILD_USER === 'self') return undefined;
  const user = createBuildUser();
  await assertIsolated(user, { PATH });
  return user;
}

const job = await readAndDeleteJob(settings.JOB_URL);
delete process.env.JOB_URL;
const { access, variables, deployKey } = job;
const secrets = [...Object.values(variables), ...passwordSecrets(job), ...(deployKey === null ? [] : [deployKey])];
const redactor = createRedactor(secrets);
const log = createBuildLog((text) => storeObject(access.storeLog, text));
const sections = createSections(log, redactor);
const result: Result = {};
const workDirectory = mkdtempSync(join(tmpdir(), 'build-'));
// The build user must traverse this directory to reach its own.
chmodSync(workDirectory, 0o711);
const directory = join(workDirectory, 'app');
const bundled = (name: string) => readFileSync(join(import.meta.dirname, name));
/** Installs a major version of Node into a directory of the build, and returns the PATH. */
const select = (major: string, name: string) =>
  selectNode(major, {
    directory: join(workDirectory, name),
    path: process.env.PATH ?? '',
    installed: settings.installed,
    registry: settings.npm_config_registry,
  });
let closeCache = async (): Promise<void> => {};

try {
  const PATH = await select(job.nodeVersion, 'node');
  const user = await prepareUser(PATH);
  const cache = createCache({
    directory,
    user,
    get: (name) => openObject(access.caches[name].read),
    put: (name, content) => storeObject(access.caches[name].store, content),
  });
  closeCache = cache.close;
  await buildApplication({
    job,
    context: {
      environment: commandEnvironment({ ...process.env, PATH }, commandVariables(job), user),
      directory,
      user,
      redactor,
      output: log.write,
      limit,
    },
    sections,
    ssh: deployKey === null ? undefined : { deployKey, knownHosts: settings.GIT_KNOWN_HOSTS },
    cache,
    limits,
    modules: {
      environment: bundled('environment.mjs'),
      launch: bundled('launch.mjs'),
      preload: bundled('preload.cjs'),
      siteServer: bundled('site-server.mjs'),
    },
    selectNode: (major) => select(major, `node-${major}`),
    onDetected: (detected) => {
      result.detected = detected;
    },
    onCommit: (commitSha) => {
      result.commitSha = commitSha;
    },
    store: (artifact) => storeObject(access.storeArtifact, artifact),
  });
} catch (error) {
  const reason = error instanceof BuildFailure ? error.message : describeFileError(error, directory);
  if (!(error instanceof BuildFailure)) console.error(redactor.redact(String(error)));
  result.step = sections.current;
  if (reason === undefined) result.fault = true;
  result.error = reason === undefined ? PLATFORM_FAULT : redactor.redact(reason);
}
// A failure to store the log must not prevent the result from being stored.
await log.close().catch((error: unknown) => console.error('the log could not be stored', error));
// The deployment continues as soon as the result is stored. The caches for the next build are stored at the same time.
await storeObject(access.storeResult, JSON.stringify(result));
await closeCache();
// Exits without waiting for background processes that a command left running.
process.exit(result.error === undefined ? 0 : 1);
