import { createKey, listKeys, revokeKey } from '../../contract/accounts/api-keys.ts';
import { getMe } from '../../contract/accounts/me.ts';
import type { Output } from '../../contract/route.ts';
import { useApiList } from '../api/use-api-list.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';
import { useApiQuery } from '../api/use-api-query.ts';

export type Account = Output<typeof getMe>['data']['account'];
export type ApiKey = Output<typeof listKeys>['data'][number];

export const useMe = () => useApiQuery(getMe);

export const useApiKeys = () => useApiList(listKeys);
export const useCreateApiKey = () => useApiMutation(createKey, [listKeys]);
export const useRevokeApiKey = () => useApiMutation(revokeKey, [listKeys]);
