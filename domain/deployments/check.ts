import type { AppHost, HealthCheck } from '../../providers/app-host/app-host.ts';
import type { Builds } from '../../providers/builds/builds.ts';
import { createRedactor, type Redactor } from '../../providers/builds/redaction.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { EnvSet } from '../../table/entities/apps.ts';
import type { Deployment } from '../../table/entities/deployments.ts';
import { envContext } from '../apps/environment.ts';
import type { Deps } from '../deps.ts';
import type { DeploymentIds } from './inputs.ts';
import { DeploymentError, readRunning } from './release.ts';

type CheckDeps = Deps & { appHost: Pick<AppHost, 'probe'>; builds: Pick<Builds, 'readEnvironment'>; secrets: Secrets };

/** A release takes traffic only after its front page answered this often in a row. */
const HEALTH_CHECKS = 3;
/** Lines of output that a failure quotes. */
const QUOTED_LINES = 10;
/** The host keeps the last 4 KB of the output. From this size in bytes on, the beginning may have been cut. */
const MIN_CUT_BYTES = 4000;

/** Returns the last lines of the output. A line whose beginning may have been cut is left out: it may begin in a secret. */
function lastLines(output: string, redactor: Redactor): string[] {
  const isCut = Buffer.byteLength(output) >= MIN_CUT_BYTES;
  const [first = '', ...others] = output.split('\n');
  const whole = isCut ? others : [first, ...others];
  return redactor
    .redact(whole.join('\n'))
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^(START|END|REPORT|INIT_START|EXTENSION|LOGS) /.test(line))
    .slice(-QUOTED_LINES);
}

function healthCheckFailure({ status, error, output }: HealthCheck, redactor: Redactor): string {
  const why =
    status === undefined
      ? `The new release did not answer: ${redactor.redact(error ?? '')}.`
      : `The new release answered ${status} on /; a status of 2xx or 3xx is needed.`;
  const quoted = lastLines(output, redactor).map((line) => `    ${line}`);
  return [`${why} The previous release goes on serving.`, ...quoted].join('\n');
}

/**
 * Returns the redactor of what a release prints: it knows the variables that the release was built with, and the
 * application's current ones.
 */
async function releaseRedactor(deps: CheckDeps, ids: DeploymentIds, deployment: Deployment): Promise<Redactor> {
  const { accountId, applicationId } = ids;
  const [built, current] = await Promise.all([
    deps.builds.readEnvironment(applicationId, deployment.builtBy ?? deployment.id),
    deps.table.get(EnvSet, { accountId, id: applicationId }),
  ]);
  const sealed = [built, current?.sealed].flatMap((each) => each ?? []);
  const opened = await Promise.all(sealed.map((each) => deps.secrets.unseal(envContext(deps, applicationId), each)));
  return createRedactor(opened.flatMap((text) => Object.values<string>(JSON.parse(text))));
}

/**
 * Tests the release before it receives traffic: 2xx or 3xx on `/`, several times.
 * @throws DeploymentError with the end of the release's output, without the values of its variables
 */
export async function checkRelease(deps: CheckDeps, ids: DeploymentIds): Promise<void> {
  const { deployment } = await readRunning(deps, ids);
  if (!deployment.release) throw new Error('there is no release to check');
  for (let count = 0; count < HEALTH_CHECKS; count += 1) {
    const check = await deps.appHost.probe(ids.applicationId, deployment.release);
    const isHealthy = check.status !== undefined && check.status >= 200 && check.status < 400;
    if (isHealthy) continue;
    throw new DeploymentError(healthCheckFailure(check, await releaseRedactor(deps, ids, deployment)));
  }
}
