import * as z from 'zod/mini';
import { one } from '../envelope.ts';
import { route } from '../route.ts';
import { Account } from './accounts.ts';

/** What a login may do with its account. */
const ROLES = ['owner'] as const;

export const getMe = route({
  id: 'getMe',
  method: 'GET',
  path: '/dashboard/v1/me',
  access: 'login',
  summary: 'Read the account you are logged in to, and your roles in it',
  tag: 'Account',
  response: () => one(z.object({ account: Account(), roles: z.array(z.enum(ROLES)) })),
});
