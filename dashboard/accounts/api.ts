import { useQueryClient } from '@tanstack/react-query';
import { createKey, listKeys, revokeKey, updateKey } from '../../contract/accounts/api-keys.ts';
import { cancelDeletion, requestDeletion } from '../../contract/accounts/deletion.ts';
import { createExportLink, listExports, startExport } from '../../contract/accounts/export.ts';
import {
  acceptInvitation,
  inviteMember,
  leaveAccount,
  listMembers,
  removeMember,
  resendInvitation,
  revokeInvitation,
  updateMember,
} from '../../contract/accounts/members.ts';
import {
  listNotifications,
  readNotifications,
  setNotificationSettings,
} from '../../contract/accounts/notifications.ts';
import type { CallerInput, Output } from '../../contract/route.ts';
import { useApiList } from '../api/use-api-list.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';
import { queryKey, useApiQuery } from '../api/use-api-query.ts';

export type ApiKey = Output<typeof listKeys>['data'][number];

export type Member = Output<typeof listMembers>['data']['members'][number];
export type Invitation = Output<typeof listMembers>['data']['invitations'][number];
export type NewInvitation = Output<typeof inviteMember>['data'];

export const useMembers = () => useApiQuery(listMembers);
export const useInviteMember = () => useApiMutation(inviteMember, [listMembers]);
export const useResendInvitation = () => useApiMutation(resendInvitation, [listMembers]);
export const useRevokeInvitation = () => useApiMutation(revokeInvitation, [listMembers]);
export const useUpdateMember = () => useApiMutation(updateMember, [listMembers]);
export const useRemoveMember = () => useApiMutation(removeMember, [listMembers]);
export const useLeaveAccount = () => useApiMutation(leaveAccount, [listMembers]);
export const useAcceptInvitation = () => useApiMutation(acceptInvitation);

export type AccountExport = Output<typeof listExports>['data'][number];

/** Poll interval while an export is running. */
const EXPORT_POLL_MS = 5000;
export const useExports = ({ enabled }: { enabled: boolean }) =>
  useApiQuery(listExports, undefined, {
    enabled,
    refetchInterval: ({ state: { data } }) =>
      data?.data.some(({ finishedAt }) => finishedAt === null) ? EXPORT_POLL_MS : false,
  });
export const useStartExport = () => useApiMutation(startExport, [listExports]);
export const useCreateExportLink = () => useApiMutation(createExportLink);
export const useRequestDeletion = () => useApiMutation(requestDeletion);
export const useCancelDeletion = () => useApiMutation(cancelDeletion);

export type Notifications = Output<typeof listNotifications>['data'];
export const useNotifications = () => useApiQuery(listNotifications);
export const useReadNotifications = () => useApiMutation(readNotifications, [listNotifications]);

/** Returns a function that saves the settings. It updates the cache immediately, because the next change builds on the result. */
export function useSetNotificationSettings() {
  const client = useQueryClient();
  const set = useApiMutation(setNotificationSettings, [listNotifications]);
  const save = async (input: CallerInput<typeof setNotificationSettings>) => {
    const { data } = await set.mutateAsync(input);
    client.setQueryData<Output<typeof listNotifications>>(
      queryKey(listNotifications),
      (before) => before && { data: { ...before.data, ...data } },
    );
  };
  return { save, isPending: set.isPending };
}

/** @param allPages true to load the whole list, so that it can be searched */
export const useApiKeys = ({ allPages = false } = {}) => useApiList(listKeys, {}, { allPages });
export const useCreateApiKey = () => useApiMutation(createKey, [listKeys]);
export const useUpdateApiKey = () => useApiMutation(updateKey, [listKeys]);
export const useRevokeApiKey = () => useApiMutation(revokeKey, [listKeys]);
