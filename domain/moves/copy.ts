import * as z from 'zod/mini';
import { limitOf } from '../../contract/limits/limits.ts';
import { memoize } from '../../contract/memoize.ts';
import { RuntimeRetired } from '../../providers/app-host/resources.ts';
import { readPackedFile, replacePackedFile } from '../../providers/archives/zip.ts';
import { SealedFile } from '../../providers/builds/builds.ts';
import { artifactKey } from '../../providers/builds/keys.ts';
import type { App } from '../../table/entities/apps.ts';
import type { Move } from '../../table/entities/cells.ts';
import { Deployment, deploymentsOf } from '../../table/entities/deployments.ts';
import { DEFAULT_HEALTH_CHECK_PATH } from '../apps/apps.ts';
import { removeFromCell } from '../apps/cells.ts';
import { probeRelease } from '../deployments/check.ts';
import { canRollBackTo } from '../deployments/deployment.ts';
import { MAX_KEPT_RELEASES } from '../deployments/rollback.ts';
import type { Deps } from '../deps.ts';
import { findAccount } from '../limits/limits.ts';
import { type MoveDeps, MoveFailed, movedApp, saveMove } from './state.ts';

/** The file with the variables in a release's archive (builder/package/archive.ts). */
const ENVIRONMENT_FILE = '.service/env.json';
const SealedVariables = memoize(() => z.extend(SealedFile(), { hostArn: z.string() }));
const FILE_MODE = 0o100644;

/** Deployments read per request. */
const PAGE_SIZE = 100;

type Releases = NonNullable<Move['releases']>;
type MovedRelease = Releases[number];

const notKept = () =>
  new MoveFailed('The code of the live release is no longer stored. Deploy the application again first.');

/**
 * Returns the deployments of an application: the live one, then the others from newest to oldest. The live one is read itself, because
 * the list is eventually consistent.
 */
export async function* eachDeployment({ table }: Pick<Deps, 'table'>, app: App): AsyncGenerator<Deployment> {
  const { accountId, liveDeploymentId: id } = app;
  const live = id === undefined ? undefined : await table.get(Deployment, { accountId, id });
  if (live) yield live;
  let page: { items: Deployment[]; hasMore: boolean };
  let cursor: string | undefined;
  do {
    page = await table.list(Deployment, deploymentsOf(app.id), { limit: PAGE_SIZE, offset: 0, cursor });
    yield* page.items.filter((deployment) => deployment.id !== id);
    cursor = page.items.at(-1)?.id;
  } while (page.hasMore);
}

/** Returns the kept releases: the live one, and those that can be rolled back to. Throws MoveFailed if the live one is missing. */
export async function findReleases(deps: Pick<Deps, 'table'>, app: App): Promise<Releases> {
  const found = new Map<string, MovedRelease>();
  for await (const deployment of eachDeployment(deps, app)) {
    const { id, release, builtBy } = deployment;
    if (found.size === MAX_KEPT_RELEASES) break;
    if (!canRollBackTo(deployment) || release === undefined || found.has(release)) continue;
    found.set(release, {
      from: release,
      source: builtBy ?? id,
      ...(id === app.liveDeploymentId ? { live: true } : {}),
    });
  }
  const releases = [...found.values()].reverse();
  if (app.liveDeploymentId !== undefined && !releases.some(({ live }) => live)) throw notKept();
  return releases;
}

/**
 * Returns the code of a release with its variables encrypted for the application's function in another cell: KMS decrypts variables for
 * the ARN of one function only.
 */
async function sealFor(deps: MoveDeps, artifact: Buffer, hostArn: string): Promise<Buffer> {
  const file = readPackedFile(artifact, ENVIRONMENT_FILE);
  if (!file) return artifact;
  const { hostArn: before, ...sealed } = SealedVariables().parse(JSON.parse(file.toString('utf8')));
  if (before === hostArn) return artifact;
  const variables = await deps.secrets.unseal({ application: before }, sealed);
  const resealed = await deps.secrets.seal({ application: hostArn }, variables);
  // `arn:aws:lambda:<region>:…`: the key is in the platform's region.
  const keyRegion = deps.settings.hostArnOf('').split(':')[3];
  const next = Buffer.from(JSON.stringify({ ...resealed, hostArn, keyRegion }));
  return replacePackedFile(artifact, ENVIRONMENT_FILE, next, FILE_MODE);
}

/** Seals the stored code of a release for a cell, replacing it. @returns false if no code is stored */
async function sealArtifact(deps: MoveDeps, { applicationId }: Move, source: string, cellId: string): Promise<boolean> {
  const artifact = await deps.builds.readArtifact(applicationId, source);
  if (!artifact) return false;
  const { functionArnPrefix } = await deps.cellOf({ cellId });
  const sealed = await sealFor(deps, artifact, functionArnPrefix + applicationId);
  if (sealed !== artifact) await deps.builds.writeArtifact(applicationId, source, sealed);
  return true;
}

/**
 * Seals the code of the next release for the old cell again, one release per step: a release that a later restore creates from it must be
 * able to decrypt its variables there.
 * @returns undefined once the code of all releases is sealed
 */
export async function sealNextBack(deps: MoveDeps, move: Move): Promise<Move | undefined> {
  const { releases = [] } = move;
  const next = releases.find(({ absent, sealedBack }) => !absent && !sealedBack);
  if (!next) return undefined;
  await sealArtifact(deps, move, next.source, move.from);
  return await saveMove(deps, move, {
    releases: releases.map((release) => (release === next ? { ...release, sealedBack: true } : release)),
  });
}

/** Creates a release in the new cell. @returns its number there; undefined if the old cell lacks the release, or its Node version is retired */
async function createRelease(
  deps: MoveDeps,
  move: Move,
  app: App,
  { from, source }: MovedRelease,
): Promise<string | undefined> {
  const [old, { appHost, appLogs }, account] = await Promise.all([
    deps.cellOf({ cellId: move.from }),
    deps.cellOf({ cellId: move.to }),
    findAccount(deps, app.accountId),
  ]);
  const nodeVersion = await old.appHost.nodeVersionOf(app.id, from);
  if (nodeVersion === undefined) return undefined;
  const hosted = { applicationId: app.id, nodeVersion, concurrency: limitOf(account, 'concurrentRequests') };
  const artifact = { bucket: deps.bucket, key: artifactKey(app.id, source) };
  await appLogs.prepare(app.id);
  const number = await appHost.release(hosted, artifact).catch((error: unknown) => {
    if (error instanceof RuntimeRetired) return undefined;
    throw error;
  });
  // If the application was deleted meanwhile, its teardown may have missed this release.
  if (!(await movedApp(deps, move))) await removeFromCell(deps, { cellId: move.to }, app.id);
  return number;
}

/** Copies the next release to the new cell. Its code is sealed and stored first, so that repeating the step creates the same release. */
export async function copyNext(
  deps: MoveDeps,
  move: Move & { releases: Releases },
  app: App,
): Promise<Move | undefined> {
  const { releases } = move;
  const next = releases.find(({ to, absent }) => to === undefined && !absent);
  if (!next) return undefined;
  const save = (done: Partial<MovedRelease>) =>
    saveMove(deps, move, {
      releases: releases.map((release) => (release === next ? { ...release, ...done } : release)),
    });
  if (!next.sealed) {
    if (await sealArtifact(deps, move, next.source, move.to)) return await save({ sealed: true });
    if (next.live) throw notKept();
    return await save({ absent: true });
  }
  const to = await createRelease(deps, move, app, next);
  if (to !== undefined) return await save({ to });
  if (next.live)
    throw new MoveFailed(
      'Lambda no longer supports the Node version of the live release. Deploy the application with another version of Node first.',
    );
  return await save({ absent: true });
}

/** Checks the health of the live release in the new cell. Throws MoveFailed. */
export async function checkCopy(deps: MoveDeps, move: Move, app: App): Promise<void> {
  const live = move.releases?.find((release) => release.live);
  if (!live?.to) return;
  const { appHost } = await deps.cellOf({ cellId: move.to });
  const failed = await probeRelease(appHost, app.id, live.to, app.healthCheckPath ?? DEFAULT_HEALTH_CHECK_PATH);
  if (!failed) return;
  const failure = failed.status === undefined ? 'it did not answer' : `it answered ${failed.status}`;
  throw new MoveFailed(`The release did not pass its health check in the new cell: ${failure}.`);
}
