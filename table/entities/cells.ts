import * as z from 'zod/mini';
import { entity, type ItemOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** The partition of all hosting cells. */
export const CELLS = key('CELLS');

/** Resources of a cell outside the account of the control plane. The cell’s stack prints them (lib/stacks/cell.ts). */
const resources = () => ({
  account: z.string(),
  region: z.string(),
  /** The ARN of a role of the cell up to the name of the function that assumes it. */
  rolePrefix: z.string(),
  externalId: z.string(),
  /** Applications of the cell are at `<slug>.<appsDomain>`. */
  appsDomain: z.string(),
  functionPrefix: z.string(),
  functionArnPrefix: z.string(),
  functionRoleArn: z.string(),
  adapterLayerArn: z.string(),
  /** The bucket that Lambda takes the code of releases from. */
  codeBucket: z.string(),
  routesArn: z.string(),
  /** The distribution of custom domains, its connection group, and the name that domains must point to. */
  tenantDistributionId: z.string(),
  connectionGroupId: z.string(),
  edgeEndpoint: z.string(),
});
export type CellResources = z.output<ReturnType<typeof CellResources>>;
export const CellResources = () => z.object(resources());

/**
 * A hosting cell: operators' data, changed without a deployment. The home cell, in the platform's own account, has an item
 * only where operators changed it, and its resources are the platform's.
 */
export type Cell = ItemOf<typeof Cell>;
export const Cell = /* @__PURE__ */ entity({
  type: 'CELL',
  schema: () =>
    z.object({
      id: z.string(),
      /** True when new applications may be placed in the cell. */
      open: z.boolean(),
      resources: z.optional(z.looseObject(resources())),
      /** Applications for which the cell had room at the last measurement. */
      room: z.optional(z.int()),
      measuredAt: z.optional(z.string()),
      /** The next measurement. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ id }: { id: string }) => ({ pk: CELLS, sk: id }),
  due: { queues: ['CELL'] },
});
