import { DSQLClient, ListClustersCommand } from '@aws-sdk/client-dsql';
import { type Check, check } from './check.ts';
import type { Plan } from './plan.ts';

/** Checks that Aurora DSQL is available in the region of databases, with a call that works in every account. */
export const checkDatabases = ({ config: { databaseRegion: region } }: Plan): Check[] => [
  check({
    what: `Aurora DSQL in ${region}`,
    needed: 'the region has the service',
    region,
    find: () => new DSQLClient({ region }).send(new ListClustersCommand({})),
    assess: ({ clusters = [], nextToken }) => ({
      ok: true,
      found: `${clusters.length}${nextToken ? '+' : ''} clusters`,
    }),
    remedy: ['Choose a region that has it (docs/deploying.md, 2. Regions): -c databaseRegion='],
  }),
];
