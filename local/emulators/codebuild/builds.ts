import { join } from 'node:path';
import * as z from 'zod';
import { openRecords } from '../records.ts';
import { Build } from './build-run.ts';

/** A build, with the idempotency token and the request that started it. */
const Started = z.object({ build: Build, token: z.string().optional(), request: z.string() });
type Started = z.output<typeof Started>;

/** Maximum number of stored builds. Unfinished builds are never deleted. */
const MAX_KEPT_BUILDS = 500;

export type Builds = ReturnType<typeof openBuilds>;

/** Opens the builds of an account, in the order of their start. */
export function openBuilds(dataDir: string) {
  const records = openRecords(join(dataDir, 'builds'), Started);
  const started = records.value;
  const all = (): Build[] => Object.values(started).map(({ build }) => build);

  const deleteOldest = (): void => {
    const builds = all();
    for (const { id, buildComplete } of builds.slice(0, Math.max(0, builds.length - MAX_KEPT_BUILDS))) {
      if (!buildComplete) return;
      delete started[id];
      records.save(id);
    }
  };

  return {
    all,
    /** @param idOrArn a build's id or ARN */
    find: (idOrArn: string): Build | undefined => started[idOrArn.split(':build/').at(-1) ?? '']?.build,
    startedWith: (token: string | undefined): Started | undefined =>
      token === undefined ? undefined : Object.values(started).find((entry) => entry.token === token),
    add(added: Started): void {
      started[added.build.id] = added;
      records.save(added.build.id);
      deleteOldest();
    },
    save: ({ id }: Build): void => records.save(id),
  };
}
