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
import { probeRelease } from '../deployments/check.ts';
import { canRollBackTo } from '../deployments/deployment.ts';
import { MAX_KEPT_RELEASES } from '../deployments/rollback.ts';
import type { Deps } from '../deps.ts';
import { findAccount } from '../limits/limits.ts';
import { type MoveDeps, MoveFailed, movedApp, removeFrom, saveMove } from './state.ts';

/** The file of a release with its variables (builder/package/archive.ts). */
const ENVIRONMENT = '.service/env.json';
const SealedVariables = memoize(() => z.extend(SealedFile(), { hostArn: z.string() }));
const FILE_MODE = 0o100644;

/** Deployments of one round trip. */
const PAGE_SIZE = 100;

type Releases = NonNullable<Move['releases']>;
type MovedRelease = Releases[number];

const notKept = () =>
  new MoveFailed('The code of the release that serves is not stored any more. Deploy the application again first.');

/** Returns the deployments of an application, newest first. The list is some milliseconds behind, so the live one is read itself. */
export async function* eachDeployment({ table }: Pick<Deps, 'table'>, app: App): AsyncGenerator<Deployment> {
  const { accountId, liveDeploymentId: id } = app;
  const live = id === undefined ? undefined : await table.get(Deployment, { accountId, id });
  if (live) yield live;
  let page: { items: Deployment[]; hasMore: boolean };
  let cursor: string | undefined;
  do {
    page = await table.list(Deployment, deploymentsOf(app.id), { limit: PAGE_SIZE, offset: 0, cursor });
    yield* page.items.filter((each) => each.id !== id);
    cursor = page.items.at(-1)?.id;
  } while (page.hasMore);
}

/** Finds the releases that are kept: the live one, and those that can be rolled back to. */
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
 * Returns the code of a release with its variables sealed for the function in another cell: KMS decrypts them for the ARN of
 * one function only.
 */
async function sealFor(deps: MoveDeps, artifact: Buffer, hostArn: string): Promise<Buffer> {
  const file = readPackedFile(artifact, ENVIRONMENT);
  if (!file) return artifact;
  const { hostArn: before, ...sealed } = SealedVariables().parse(JSON.parse(file.toString('utf8')));
  if (before === hostArn) return artifact;
  const variables = await deps.secrets.unseal({ application: before }, sealed);
  const again = await deps.secrets.seal({ application: hostArn }, variables);
  // `arn:aws:lambda:<region>:…`: the key is in the platform's region.
  const keyRegion = deps.settings.hostArnOf('').split(':')[3];
  const next = Buffer.from(JSON.stringify({ ...again, hostArn, keyRegion }));
  return replacePackedFile(artifact, ENVIRONMENT, next, FILE_MODE);
}

/** Stores the code of a release sealed for a cell, in place of what was there. @returns false where none is stored */
async function prepare(deps: MoveDeps, { applicationId }: Move, source: string, cellId: string): Promise<boolean> {
  const artifact = await deps.builds.readArtifact(applicationId, source);
  if (!artifact) return false;
  const { functionArnPrefix } = await deps.cellOf({ cellId });
  const sealed = await sealFor(deps, artifact, functionArnPrefix + applicationId);
  if (sealed !== artifact) await deps.builds.writeArtifact(applicationId, source, sealed);
  return true;
}

/**
 * Seals the code of the next release for the old cell again: one that is made of it later, after a restore, must be able to open its
 * variables there. One at a step, as they are copied. @returns undefined once all are
 */
export async function sealNextBack(deps: MoveDeps, move: Move): Promise<Move | undefined> {
  const { releases = [] } = move;
  const next = releases.find(({ absent, sealedBack }) => !absent && !sealedBack);
  if (!next) return undefined;
  await prepare(deps, move, next.source, move.from);
  return await saveMove(deps, move, {
    releases: releases.map((each) => (each === next ? { ...each, sealedBack: true } : each)),
  });
}

/** Makes a release in the new cell. @returns its number there; undefined where it is not in the old one */
async function make(deps: MoveDeps, move: Move, app: App, { from, source }: MovedRelease): Promise<string | undefined> {
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
  const made = await appHost.release(hosted, artifact).catch((error: unknown) => {
    if (error instanceof RuntimeRetired) return undefined;
    throw error;
  });
  // One that was deleted meanwhile may have been taken down without this.
  if (!(await movedApp(deps, move))) await removeFrom(deps, move.to, app.id);
  return made;
}

/** Copies the next release to the new cell. The code is stored first, so that a repetition makes the same release of it. */
export async function copyNext(
  deps: MoveDeps,
  move: Move & { releases: Releases },
  app: App,
): Promise<Move | undefined> {
  const { releases } = move;
  const next = releases.find(({ to, absent }) => to === undefined && !absent);
  if (!next) return undefined;
  const save = (done: Partial<MovedRelease>) =>
    saveMove(deps, move, { releases: releases.map((each) => (each === next ? { ...each, ...done } : each)) });
  if (!next.sealed) {
    if (await prepare(deps, move, next.source, move.to)) return await save({ sealed: true });
    if (next.live) throw notKept();
    return await save({ absent: true });
  }
  const to = await make(deps, move, app, next);
  if (to !== undefined) return await save({ to });
  if (next.live)
    throw new MoveFailed(
      'Lambda makes no release of this version of Node any more. Deploy the application with another first.',
    );
  return await save({ absent: true });
}

/** Checks the release that is to serve in the new cell. Throws MoveFailed. */
export async function checkCopy(deps: MoveDeps, move: Move, app: App): Promise<void> {
  const live = move.releases?.find((each) => each.live);
  if (!live?.to) return;
  const { appHost } = await deps.cellOf({ cellId: move.to });
  const failed = await probeRelease(appHost, app.id, live.to, app.healthCheckPath ?? DEFAULT_HEALTH_CHECK_PATH);
  if (!failed) return;
  const what = failed.status === undefined ? 'it did not answer' : `it answered ${failed.status}`;
  throw new MoveFailed(`The release did not pass its health check in the new cell: ${what}.`);
}
