import * as z from 'zod/mini';
import { type AccountScopedId, DAY, entity, epoch, type ItemOf, oneOf } from '../entity.ts';
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

/** A release of an application that is being moved. */
const movedRelease = () =>
  z.looseObject({
    /** Its number in the old cell, and in the new one as soon as it is there. */
    from: z.string(),
    to: z.optional(z.string()),
    /** The deployment whose build made it. */
    source: z.string(),
    /** True for the one that serves. */
    live: z.optional(z.literal(true)),
    /** True once its stored code has its variables sealed for the new cell. */
    sealed: z.optional(z.literal(true)),
    /** True where its code is not kept: it cannot be rolled back to after the move. */
    absent: z.optional(z.literal(true)),
    /** True once its code, of a move that failed, is sealed for the old cell again. */
    sealedBack: z.optional(z.literal(true)),
  });

/** The move of an application to another hosting cell (domain/moves/). */
export type Move = ItemOf<typeof Move>;
export const Move = /* @__PURE__ */ entity({
  type: 'MOVE',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      applicationId: z.string(),
      /** Ids of cells. */
      from: z.string(),
      to: z.string(),
      status: oneOf(['COPYING', 'SWITCHING', 'DRAINING', 'DONE', 'FAILED']),
      /** The releases that are kept, oldest first; absent before they were looked for. */
      releases: z.optional(z.array(movedRelease())),
      /** Set with the switch: the host names that are switched, and the cell of their routes. */
      edge: z.optional(z.looseObject({ cellId: z.string(), hosts: z.array(z.string()) })),
      /** Executions that ended before the move did. */
      attempts: z.int(),
      createdAt: z.string(),
      /** The time at which visitors were sent to the new cell. */
      switchedAt: z.optional(z.string()),
      finishedAt: z.nullable(z.string()),
      /** The reason why it fails: while it is unfinished, what it has done is being undone. */
      problem: z.optional(z.string()),
      /** While unfinished: the time at which the reconciler checks its execution. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId), sk: key('MOVE', id) }),
  list: ({ applicationId, id }) => ({ listPk: key('APP', applicationId, 'MOVES'), listSk: id }),
  due: { queues: ['MOVE'] },
  expiresAtEpoch: ({ createdAt }) => epoch(createdAt) + 30 * DAY,
});
