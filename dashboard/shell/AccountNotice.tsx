import { Button, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { cancelDeletion } from '../../contract/accounts/deletion.ts';
import { isAccountSuspended, suspensionMessage } from '../../contract/errors.ts';
import { toFailure } from '../api/failure.ts';
import { isFirstAttempt } from '../api/query-client.ts';
import { RoleContext, useRole } from '../api/rights.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';
import { type Account, useMe } from '../api/use-me.ts';
import { rememberQuiet, wasQuiet } from '../login/account-choice.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import { count } from '../ui/count.ts';
import { Skeletons } from '../ui/QueryBoundary.tsx';
import { formatDate } from '../ui/TimeAgo.tsx';

/** Maximum time for which content waits for the account's notices: one slow read must not hide what the others have read. */
const MAX_HELD_MS = 4000;

/** Returns true once the time is over. */
function useIsOver(ms: number): boolean {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(setIsOver, ms, true);
    return () => clearTimeout(timer);
  }, [ms]);
  return isOver;
}

/** Returns the API's suspension message if the account is suspended: the API refuses every read except `getMe` with it. */
function useSuspensionMessage(): string | undefined {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => {
      for (const { state } of cache.getAll()) {
        if (state.status !== 'error') continue;
        const failure = toFailure(state.error);
        if (isAccountSuspended(failure)) return failure.message;
      }
      return undefined;
    },
  );
}

type Exceeded = NonNullable<Account['planLimitExceeded']>;

/** Banner for an account with more applications than its plan allows. */
function PlanLimitBanner({ appLimit, applications, suspendsAt }: Exceeded) {
  const excess = applications - appLimit;
  const newest = excess === 1 ? 'The newest one' : `The newest ${excess}`;
  const are = excess === 1 ? 'is' : 'are';
  return (
    <div role="status" className="notice">
      Your plan allows {count(appLimit, 'application')}, and you have {applications}. {newest}{' '}
      {suspendsAt ? `will be suspended on ${formatDate(suspendsAt)}` : `${are} suspended`}.{' '}
      <Link href="/billing/plans">Upgrade your plan</Link> or delete applications.
    </div>
  );
}

/** Banner for an account that will be deleted. */
function DeletionBanner({ endsAt }: { endsAt: string }) {
  const cancel = useApiMutation(cancelDeletion);
  return (
    <div role="status" className="notice">
      This account will be deleted on {formatDate(endsAt)}. Until then it is read-only.{' '}
      <ActionButton size="xs" right="manage" action={() => cancel.mutateAsync({})}>
        Cancel deletion
      </ActionButton>
    </div>
  );
}

/**
 * Shows the account's notices above the content, both with the login's role. If the account is suspended, shows the reason in place of the
 * content. Content that notices would move under the pointer is shown with them: unless the account had none at the last visit, it waits
 * for the first read of the account, but not long, while its own reads are already running.
 */
export function AccountNotice({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const reported = useSuspensionMessage();
  const me = useMe();
  const role = useRole();
  const { account, suspensionReason, notices = [] } = me.data?.data ?? {};
  const suspension = reported ?? (suspensionReason ? suspensionMessage(suspensionReason) : undefined);
  const exceeded = account?.planLimitExceeded;
  const [isQuietSince] = useState(wasQuiet);
  const isLate = useIsOver(MAX_HELD_MS);
  const isHeld = isFirstAttempt(me) && !isQuietSince && !isLate;
  const isQuiet = me.data && notices.length === 0 && !account?.deletion && !exceeded && suspension === undefined;
  useEffect(() => {
    if (isQuiet !== undefined) rememberQuiet(isQuiet);
  }, [isQuiet]);
  if (suspension !== undefined) {
    return (
      <Stack role="alert" className="card" p="md" gap="sm" align="flex-start">
        <Title order={1} size="h3">
          Account suspended
        </Title>
        <Text className="break">{suspension}</Text>
        <Text size="sm" c="dimmed">
          Your data is kept. Visitors to your applications see a notice. Webhook events are delivered once the
          suspension ends.
        </Text>
        <Button variant="default" onClick={() => void client.resetQueries()}>
          Try again
        </Button>
      </Stack>
    );
  }
  return (
    <RoleContext value={role}>
      {notices.map(({ name, message }) => (
        <div key={name} role="status" className="notice">
          {message}
        </div>
      ))}
      {account?.deletion && <DeletionBanner {...account.deletion} />}
      {exceeded && <PlanLimitBanner {...exceeded} />}
      {isHeld && <Skeletons lines={4} />}
      <div {...(isHeld ? { className: 'held' } : {})}>{children}</div>
    </RoleContext>
  );
}
