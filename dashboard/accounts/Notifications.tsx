import { Checkbox, Group, Stack, Text } from '@mantine/core';
import { memo } from 'react';
import {
  NOTIFICATION_DAYS,
  NOTIFICATION_KIND_NAMES,
  NOTIFICATION_KINDS,
  type NotificationKind,
} from '../../contract/accounts/notifications.ts';
import { entryOf } from '../../contract/enums.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { FilteredItems, useListFilter } from '../ui/FilteredItems.tsx';
import { byTime, type ListView } from '../ui/list-view.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { toastError } from '../ui/toast.ts';
import {
  type Notifications as Shown,
  useNotifications,
  useReadNotifications,
  useSetNotificationSettings,
} from './api.ts';

/** The account's notifications for this login, and their settings. */
export function Notifications() {
  const query = useNotifications();
  // One mutation for both lists: a change of the email settings also sends the other ones.
  const settings = useSetNotificationSettings();
  return (
    <QueryBoundary query={query}>
      {({ data }) => (
        <Stack gap="xl">
          <Section
            title="Notifications"
            description={`What needs attention in this account, at most once a day for each incident. Kept for ${NOTIFICATION_DAYS} days.`}
            actions={<MarkRead {...data} />}
          >
            <NotificationList {...data} />
          </Section>
          <Section title="Notify me of" description="Applies only to your login in this account.">
            <KindSettings {...settings} off={data.off} toBody={(off) => ({ off })} />
          </Section>
          {data.mail && (
            <Section
              title="Email me about"
              description={`Sent to ${data.mail.address ?? 'the address of your login'}, at most once an hour for each kind. You only get emails about what your role can act on.`}
            >
              <KindSettings {...settings} off={data.offByMail} toBody={(offByMail) => ({ off: data.off, offByMail })} />
            </Section>
          )}
        </Stack>
      )}
    </QueryBoundary>
  );
}

function MarkRead({ notifications }: Shown) {
  const read = useReadNotifications();
  const until = notifications.find(({ isRead }) => !isRead)?.at;
  if (until === undefined) return null;
  return <ActionButton action={() => read.mutateAsync({ body: { until } })}>Mark all as read</ActionButton>;
}

type Notification = Shown['notifications'][number];

/** Returns the label of a kind; the kind itself if only a newer version knows it. */
const labelOf = ({ kind }: Notification): string => entryOf(NOTIFICATION_KINDS, kind)?.label ?? kind;

const VIEW: ListView<Notification> = {
  text: (notification) => `${notification.title} ${labelOf(notification)}`,
  sorts: {
    oldest: { label: 'Oldest first', compare: byTime(({ at }) => at) },
    unread: { label: 'Unread first', compare: (a, b) => Number(a.isRead) - Number(b.isRead) },
  },
  status: labelOf,
  statusName: { one: 'kind', all: 'All kinds' },
};

function NotificationList({ notifications }: Shown) {
  const filter = useListFilter();
  if (notifications.length === 0)
    return <EmptyState title="No notifications">Failures and warnings of your account appear here.</EmptyState>;
  return (
    <FilteredItems name="notifications" items={notifications} filter={filter} view={VIEW} statusLabel={(kind) => kind}>
      {(items) => (
        <div className="card">
          {items.map((notification) => (
            <NotificationRow key={notification.id} notification={notification} />
          ))}
        </div>
      )}
    </FilteredItems>
  );
}

const NotificationRow = memo(
  ({ notification: { title, path, at, isRead } }: { notification: Shown['notifications'][number] }) => (
    <Group className="row" justify="space-between" gap="sm">
      <Text className="break" fw={isRead ? 400 : 600} style={{ minWidth: 0, flex: '1 1 16rem' }}>
        <TextLink href={path}>{title}</TextLink>
      </Text>
      <Text size="sm" c="dimmed">
        {isRead ? '' : 'New · '}
        <TimeAgo at={at} />
      </Text>
    </Group>
  ),
);

interface KindSettingsProps extends ReturnType<typeof useSetNotificationSettings> {
  off: readonly NotificationKind[];
  /** Returns the request body that switches off these kinds. */
  toBody(off: NotificationKind[]): { off: NotificationKind[]; offByMail?: NotificationKind[] };
}

function KindSettings({ off, toBody, save, isPending }: KindSettingsProps) {
  const choose = async (kind: NotificationKind, isOn: boolean) => {
    const others = off.filter((other) => other !== kind);
    try {
      await save({ body: toBody(isOn ? others : [...others, kind]) });
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Stack gap="xs">
      {NOTIFICATION_KIND_NAMES.map((kind) => (
        <Checkbox
          key={kind}
          label={NOTIFICATION_KINDS[kind].label}
          checked={!off.includes(kind)}
          disabled={isPending}
          data-loading={isPending || undefined}
          onChange={({ currentTarget }) => void choose(kind, currentTarget.checked)}
        />
      ))}
    </Stack>
  );
}
