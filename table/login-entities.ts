import * as z from 'zod/mini';
import { entity, type ItemOf } from './entities.ts';
import { joinKey as key } from './keys.ts';

/**
 * A login, found by what its issuer calls it (the token's `sub`), and the account it opens. Every request made with it
 * writes it (its counters stand beside), so it is in no index.
 */
export type Login = ItemOf<typeof Login>;
export const Login = entity({
  type: 'LOGIN',
  schema: () => z.looseObject({ subject: z.string(), accountId: z.string() }),
  key: ({ subject }: { subject: string }) => ({ pk: key('LOGIN', subject), sk: 'LOGIN' }),
});
