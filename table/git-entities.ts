import * as z from 'zod/mini';
import { DAY, entity, epoch, type ItemOf } from './entities.ts';
import { joinKey as key } from './keys.ts';

const sealed = () => z.object({ wrappedKey: z.string(), iv: z.string(), ciphertext: z.string() });

/** What an application and its Git host know each other by. Found by the application alone: a hook names no account. */
export type GitAccess = ItemOf<typeof GitAccess>;
export const GitAccess = entity({
  type: 'GIT_ACCESS',
  schema: () =>
    z.object({
      applicationId: z.string(),
      accountId: z.string(),
      /** What the Git host signs its hooks with. */
      hookSecret: sealed(),
      /** The deploy key: the public half as OpenSSH writes it, the private one sealed. */
      publicKey: z.string(),
      privateKey: sealed(),
    }),
  key: ({ applicationId }: { applicationId: string }) => ({ pk: key('GIT', applicationId), sk: 'GIT_ACCESS' }),
});

/** A push that was taken, by its delivery's id: a repeat finds it and deploys nothing more. */
export type Push = ItemOf<typeof Push>;
export const Push = entity({
  type: 'PUSH',
  schema: () =>
    z.object({
      /** The Git host's own id of the delivery. */
      id: z.string(),
      accountId: z.string(),
      applicationId: z.string(),
      deploymentId: z.string(),
      createdAt: z.string(),
    }),
  key: ({ applicationId, id }: { applicationId: string; id: string }) => ({
    pk: key('GIT', applicationId, 'PUSH', id),
    sk: 'PUSH',
  }),
  expiresAtEpoch: (item) => epoch(item.createdAt) + 30 * DAY,
});
