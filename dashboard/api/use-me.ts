import { getMe } from '../../contract/accounts/me.ts';
import type { Output } from '../../contract/route.ts';
import { useApiQuery } from './use-api-query.ts';

export type Account = Output<typeof getMe>['data']['account'];

/** Kept apart from the other calls of the area `accounts`, whose routes the first load does not need. */
export const useMe = () => useApiQuery(getMe);
