import * as z from 'zod/mini';
import { type AccountScopedId, DAY, entity, epoch, type ItemOf, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** The partition of all hosting cells. */
export const CELLS = key('CELLS');

/** The resources of a cell outside the platform's account. The cell's stack outputs them (lib/stacks/cell.ts). */
const resources = () => ({
  account: z.string(),
  region: z.string(),
  /** The ARN of a role in the cell, up to the name of the function that assumes it. */
  rolePrefix: z.string(),
  externalId: z.string(),
  /** The parent domain of the cell's applications: `<slug>.<appsDomain>`. */
  appsDomain: z.string(),
  functionPrefix: z.string(),
  functionArnPrefix: z.string(),
  functionRoleArn: z.string(),
  adapterLayerArn: z.string(),
  /** The bucket from which Lambda reads the code of releases. */
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
 * A hosting cell. Operators register and change cells without a deployment. The home cell, in the platform's own account, has an item
 * only if operators changed it, and uses the platform's resources.
 */
export type Cell = ItemOf<typeof Cell>;
export const Cell = /* @__PURE__ */ entity({
  type: 'CELL',
  schema: () =>
    z.object({
      id: z.string(),
      /** True if the cell accepts new applications. */
      open: z.boolean(),
      resources: z.optional(z.looseObject(resources())),
      /** The number of further applications that fit, as last measured. */
      room: z.optional(z.int()),
      measuredAt: z.optional(z.string()),
      /** The time of the next measurement. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ id }: { id: string }) => ({ pk: CELLS, sk: id }),
  due: { queues: ['CELL'] },
});

/** A release of an application that is being moved. */
const movedRelease = () =>
  z.looseObject({
    /** Its version number in the old cell and, once it has been copied, in the new one. */
    from: z.string(),
    to: z.optional(z.string()),
    /** The deployment whose build created it. */
    source: z.string(),
    /** True for the live release. */
    live: z.optional(z.literal(true)),
    /** True once the variables in its stored code are encrypted for the new cell. */
    sealed: z.optional(z.literal(true)),
    /** True if its code is not stored any more. A rollback to it is not possible after the move. */
    absent: z.optional(z.literal(true)),
    /** After a failed move: true once its code is encrypted for the old cell again. */
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
      /** The kept releases, oldest first; absent until the move has listed them. */
      releases: z.optional(z.array(movedRelease())),
      /** The number of executions that ended before the move was finished. */
      attempts: z.int(),
      createdAt: z.string(),
      /** The time at which visitors were sent to the new cell. */
      switchedAt: z.optional(z.string()),
      finishedAt: z.nullable(z.string()),
      /** The reason for its failure. Until the move is finished, it is being undone. */
      problem: z.optional(z.string()),
      /** While unfinished: the time at which the reconciler checks its execution. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId), sk: key('MOVE', id) }),
  list: ({ applicationId, id }) => ({ listPk: key('APP', applicationId, 'MOVES'), listSk: id }),
  due: { queues: ['MOVE'] },
  expiresAtEpoch: ({ createdAt }) => epoch(createdAt) + 30 * DAY,
});
