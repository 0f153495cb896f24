/**
 * The builder. Runs once per deployment in CodeBuild: reads its job from the builds bucket and writes a log, an
 * artifact and a result there. Exits with 0 if the application was packaged.
 */
import { chmodSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { artifactKey, cacheKey, type Job, jobKey, logKey, type Result, resultKey } from '../providers/builds/builds.ts';
import { createSecrets } from '../providers/encryption/secrets.ts';
import { callAws, getObject, putLargeObject, putObject } from '../runtime/aws/client.ts';
import { buildApplication } from './build/application.ts';
import { limitBuild } from './build/limits.ts';
import { selectNode } from './build/node-version.ts';
import { createBuildUser } from './commands/build-user.ts';
import { commandEnvironment } from './commands/command.ts';
import { BuildFailure } from './failure.ts';
import { createCache } from './install/cache.ts';
import { createBuildLog } from './log/log.ts';
import { createRedactor } from './log/redaction.ts';
import { createSections } from './log/sections.ts';

/** Maximum disk usage of a build in GiB: many times the largest application, and a fraction of the container's disk. */
const DISK_GB = 20;
const PLATFORM_FAULT = 'The build could not be completed because of a problem on our side. Deploying again may help.';

const { DEPLOYMENT_ID: deploymentId = '', BUILDS_BUCKET: bucket = '' } = process.env;
const { GIT_KNOWN_HOSTS: knownHosts = '', BUILD_SECONDS, BUILD_DISK_GB = DISK_GB } = process.env;
const { BUILD_REPOSITORY_MB, BUILD_REPOSITORY_FILES } = process.env;
const limits = {
  ...(BUILD_REPOSITORY_MB ? { megabytes: Number(BUILD_REPOSITORY_MB) } : {}),
  ...(BUILD_REPOSITORY_FILES ? { files: Number(BUILD_REPOSITORY_FILES) } : {}),
};
const limit = limitBuild({ seconds: Number(BUILD_SECONDS), gigabytes: Number(BUILD_DISK_GB) }, tmpdir());

async function readJob(): Promise<Job> {
  const found = await getObject(bucket, jobKey(deploymentId));
  if (!found) throw new Error(`Deployment ${deploymentId} has no job`);
  return JSON.parse(found.toString('utf8'));
}

const secrets = createSecrets((operation, input) => callAws('kms', operation, input), '');

async function openVariables({ env, hostArn }: Job): Promise<Record<string, string>> {
  return env ? JSON.parse(await secrets.unseal({ application: hostArn }, env)) : {};
}

async function openDeployKey({ deployKey, applicationId }: Job): Promise<string | undefined> {
  return deployKey ? await secrets.unseal({ deployKey: applicationId }, deployKey) : undefined;
}

const job = await readJob();
const [variables, deployKey, PATH] = await Promise.all([
  openVariables(job),
  openDeployKey(job),
  selectNode(job.nodeVersion, process.env),
]);
const user = createBuildUser();
const redactor = createRedactor([...Object.values(variables), ...(deployKey ? [deployKey] : [])]);
const log = createBuildLog((text) => putObject(bucket, logKey(deploymentId), text, 'text/plain; charset=utf-8'));
const sections = createSections(log, redactor);
const result: Result = {};
const workDirectory = mkdtempSync(join(tmpdir(), 'build-'));
// The build's user must traverse this directory to reach its own.
chmodSync(workDirectory, 0o711);
const directory = join(workDirectory, 'app');
const cache = createCache({
  directory,
  user,
  get: (name) => getObject(bucket, cacheKey(job.applicationId, name)),
  put: (name, content) =>
    putLargeObject(bucket, cacheKey(job.applicationId, name), content, 'application/octet-stream'),
});

try {
  await buildApplication({
    job,
    context: {
      environment: commandEnvironment({ ...process.env, PATH }, variables, user),
      directory,
      user,
      redactor,
      output: log.write,
      limit,
    },
    sections,
    ssh: deployKey === undefined ? undefined : { deployKey, knownHosts },
    cache,
    limits,
    environmentModule: readFileSync(join(import.meta.dirname, 'environment.mjs')),
    onCommit: (commitSha) => {
      result.commitSha = commitSha;
    },
    store: (artifact) =>
      putLargeObject(bucket, artifactKey(job.applicationId, deploymentId), artifact, 'application/zip'),
  });
} catch (error) {
  if (!(error instanceof BuildFailure)) console.error(error);
  result.step = sections.current;
  result.error = error instanceof BuildFailure ? redactor.redact(error.message) : PLATFORM_FAULT;
}
await Promise.all([
  cache.close(),
  log.close(),
  putObject(bucket, resultKey(deploymentId), JSON.stringify(result), 'application/json'),
]);
// Exits without waiting for background processes that a command left.
process.exit(result.error === undefined ? 0 : 1);
