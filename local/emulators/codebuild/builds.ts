import { join } from 'node:path';
import * as z from 'zod';
import { openRecords } from '../records.ts';
import { Build } from './build-run.ts';

/** A build, with the idempotency token and the request that started it. */
const Started = z.object({ build: Build, token: z.string().optional(), request: z.string() });
type Started = z.output<typeof Started>;

/** Number of finished builds that are kept. */
const MAX_KEPT_BUILDS = 500;

/** Opens the builds of an account, in the order of their start. */
export function openBuilds(dataDir: string) {
  const records = openRecords(join(dataDir, 'builds'), Started);
  const all = new Map(Object.entries(records.value));
  const byToken = new Map<string, Started>();
  for (const started of all.values()) if (started.token !== undefined) byToken.set(started.token, started);
  const idOf = (idOrArn: string): string => idOrArn.split(':build/').at(-1) ?? '';

  const forget = (id: string): void => {
    const token = all.get(id)?.token;
    all.delete(id);
    delete records.value[id];
    if (token !== undefined) byToken.delete(token);
    records.save(id);
  };
  const forgetOldest = (): void => {
    for (const [id, { build }] of all) {
      if (all.size <= MAX_KEPT_BUILDS || !build.buildComplete) return;
      forget(id);
    }
  };

  return {
    all: (): Build[] => [...all.values()].map(({ build }) => build),
    /** @param idOrArn a build's id or ARN */
    find: (idOrArn: string): Build | undefined => all.get(idOf(idOrArn))?.build,
    startedWith: (token: string | undefined): Started | undefined =>
      token === undefined ? undefined : byToken.get(token),
    add(started: Started): void {
      const { build, token } = started;
      all.set(build.id, started);
      records.value[build.id] = started;
      if (token !== undefined) byToken.set(token, started);
      records.save(build.id);
      forgetOldest();
    },
    save: ({ id }: Build): void => records.save(id),
  };
}
