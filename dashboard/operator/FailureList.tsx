import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { DataTable } from '../ui/DataTable.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { toast } from '../ui/toast.ts';
import { type Failures, useDiscard, useFailedWork, useFailures, useReplay } from './api.ts';
import { ReasonButton } from './ReasonButton.tsx';

/** The failure queues, which hold failed work for operators. */
export function FailureList() {
  const [open, setOpen] = useState<Failures['name']>();
  return (
    <Section title="Failures" description="Work that failed after all attempts. Kept for 14 days.">
      <QueryBoundary query={useFailures()}>
        {({ data }) => (
          <DataTable
            name="Failures"
            items={data}
            idOf={({ name }) => name}
            columns={[
              { name: 'Queue', show: ({ label }) => label },
              { name: 'Items', show: ({ count }) => count ?? 'Unavailable', number: true },
              { name: 'Meaning', long: true, show: ({ means, replay }) => `${means} ${replay}` },
              { name: 'Actions', show: (queue) => <QueueActions queue={queue} show={() => setOpen(queue.name)} /> },
            ]}
          />
        )}
      </QueryBoundary>
      {open && <FailedWork name={open} />}
    </Section>
  );
}

function QueueActions({ queue: { name, label, count }, show }: { queue: Failures; show: () => void }) {
  const [replay, discard] = [useReplay(), useDiscard()];
  if (count === 0) return null;
  const inputFor = (reason: string) => ({ params: { name }, body: { reason } });
  const onReplay = async (reason: string) => {
    const { count: replayed, kept } = (await replay.mutateAsync(inputFor(reason))).data;
    toast(kept > 0 ? `${replayed} replayed, ${kept} failed again.` : `${replayed} replayed.`);
    show();
  };
  const onDiscard = async (reason: string) => {
    toast(`${(await discard.mutateAsync(inputFor(reason))).data.count} discarded.`);
    show();
  };
  const description = 'Up to 200 items at a time. The reason is recorded in the operators’ audit log.';
  return (
    <Group gap="xs" wrap="nowrap">
      <button type="button" className="copy-id" onClick={show}>
        Show
      </button>
      <ReasonButton
        {...{ label: 'Replay', description, onConfirm: onReplay }}
        question={`Replay ${label.toLowerCase()}?`}
      />
      <ReasonButton
        {...{ label: 'Discard', description, onConfirm: onDiscard }}
        question={`Discard ${label.toLowerCase()}?`}
      />
    </Group>
  );
}

function FailedWork({ name }: { name: Failures['name'] }) {
  return (
    <QueryBoundary query={useFailedWork(name)}>
      {({ data, has_more }) =>
        data.length === 0 ? (
          <EmptyState title="No failed work">Work that fails after all attempts appears here.</EmptyState>
        ) : (
          <>
            <DataTable
              name="Failed work"
              items={data}
              idOf={({ id }) => id}
              columns={[
                { name: 'Since', show: ({ since }) => since && <TimeAgo at={since} /> },
                { name: 'What', show: ({ description }) => description },
                { name: 'Error', show: ({ error }) => error },
                {
                  name: 'Account',
                  show: ({ accountId }) =>
                    accountId && <TextLink href={`/operator/accounts/${accountId}`}>{accountId}</TextLink>,
                },
              ]}
            />
            {has_more && (
              <Text size="sm" c="dimmed">
                More items are not shown.
              </Text>
            )}
          </>
        )
      }
    </QueryBoundary>
  );
}
