import type { AppHost, HealthCheck } from '../../providers/app-host/app-host.ts';
import { isPlatformLine } from '../../providers/app-host/platform-lines.ts';
import type { Builds } from '../../providers/builds/builds.ts';
import { endedServerAdvice } from '../../providers/builds/detection/frameworks.ts';
import { createRedactor, type Redactor } from '../../providers/builds/redaction.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { type App, EnvSet } from '../../table/entities/apps.ts';
import type { Deployment } from '../../table/entities/deployments.ts';
import { DEFAULT_HEALTH_CHECK_PATH } from '../apps/apps.ts';
import type { InCell } from '../apps/cells.ts';
import { envContext, parseVariables } from '../apps/environment.ts';
import type { Deps } from '../deps.ts';
import type { DeploymentIds } from './inputs.ts';
import { DeploymentError, readRunning } from './release.ts';
import { explainReleaseFailure } from './release-failure.ts';

type CheckDeps = Deps &
  InCell<'appHost' | 'appLogs'> & {
    builds: Pick<Builds, 'readEnvironment'>;
    secrets: Secrets;
    /** Milliseconds between two reads of the stored log; default {@link LOG_PAUSE_MS}. */
    logPauseMs?: number;
  };

/** Consecutive successful requests that a release must answer before it receives traffic. */
const HEALTH_CHECKS = 3;
/** Lines of output that are read: enough for an error with its stack trace. */
const MAX_READ_LINES = 200;
/** Size in bytes from which an excerpt may have lost its beginning: the host keeps the last 4 KB of the output. */
const MIN_CUT_BYTES = 4000;
/** Reads of the stored log, and the pause between them: Lambda stores output within seconds. */
const LOG_READS = 4;
const LOG_PAUSE_MS = 1000;

/** Returns the complete lines of the host's excerpt. A line that lost its beginning may start in the middle of a secret. */
function excerptLines(output: string, isCut: boolean): string[] {
  const [first = '', ...others] = output.split('\n');
  const complete = isCut ? others : [first, ...others];
  return complete.filter((line) => line.trim() !== '' && !isPlatformLine(line));
}

/**
 * Returns the last lines that a release printed. The host's excerpt is enough unless it was cut: an error's message is above
 * its stack trace. In that case the stored log is read, which may lag behind.
 */
async function lastLines(deps: CheckDeps, app: App, release: string, output: string): Promise<string[]> {
  const isCut = Buffer.byteLength(output) >= MIN_CUT_BYTES;
  const excerpt = excerptLines(output, isCut);
  if (!isCut && excerpt.length > 0) return excerpt;
  const { appLogs } = await deps.cellOf(app);
  for (let read = 1; read <= LOG_READS; read += 1) {
    const stored = await appLogs.tail(app.id, release, deps.now(), MAX_READ_LINES);
    const last = excerpt.at(-1);
    if (stored.length > excerpt.length && (last === undefined || stored.includes(last))) return stored;
    if (read < LOG_READS) await new Promise((done) => setTimeout(done, deps.logPauseMs ?? LOG_PAUSE_MS));
  }
  return excerpt;
}

/**
 * Returns a redactor for the output of a release. It removes the values of the variables that the release was built with and of
 * the application's current ones.
 */
async function releaseRedactor(deps: CheckDeps, ids: DeploymentIds, deployment: Deployment): Promise<Redactor> {
  const { accountId, applicationId } = ids;
  const [built, current] = await Promise.all([
    deps.builds.readEnvironment(applicationId, deployment.builtBy ?? deployment.id),
    deps.table.get(EnvSet, { accountId, id: applicationId }),
  ]);
  const sealed = [built, current?.sealed].flatMap((variables) => variables ?? []);
  const opened = await Promise.all(
    sealed.map((variables) => deps.secrets.unseal(envContext(deps, applicationId), variables)),
  );
  return createRedactor(opened.flatMap((text) => [...parseVariables(text).values()]));
}

/** True if a release serves requests. Redirects, 401 and 404 count as healthy. */
const isHealthy = ({ status }: HealthCheck): boolean => status !== undefined && status < 500;

/** Requests a path of a release {@link HEALTH_CHECKS} times. @returns the first failed check; undefined if all succeed */
export async function probeRelease(
  appHost: Pick<AppHost, 'probe'>,
  applicationId: string,
  release: string,
  path: string,
): Promise<HealthCheck | undefined> {
  for (let count = 0; count < HEALTH_CHECKS; count += 1) {
    const check = await appHost.probe(applicationId, release, path);
    if (!isHealthy(check)) return check;
  }
  return undefined;
}

/**
 * Tests the release before it receives traffic: a status below 500 on the application's health-check path, several times.
 * @throws DeploymentError with the end of the release's output, in which the values of its variables are redacted
 */
export async function checkRelease(deps: CheckDeps, ids: DeploymentIds): Promise<void> {
  const { applicationId } = ids;
  const { deployment, app } = await readRunning(deps, ids);
  const { release } = deployment;
  if (!release) throw new Error('there is no release to check');
  const path = app.healthCheckPath ?? DEFAULT_HEALTH_CHECK_PATH;
  const { appHost } = await deps.cellOf(app);
  const failed = await probeRelease(appHost, applicationId, release, path);
  if (!failed) return;
  const [redactor, lines] = await Promise.all([
    releaseRedactor(deps, ids, deployment),
    lastLines(deps, app, release, failed.output),
  ]);
  const redacted = redactor.redact(lines.join('\n')).split('\n');
  const error = redactor.redact(failed.error ?? '');
  const advice = app.detected && endedServerAdvice(app.detected);
  throw new DeploymentError(
    explainReleaseFailure({ ...failed, error }, path, lines.length > 0 ? redacted : [], advice),
  );
}
