import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useCallback, useMemo, useState } from 'react';
import { DELIVERY_STATUSES } from '../../contract/enums.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { FilteredItems, useListFilter } from '../ui/FilteredItems.tsx';
import { byTime, type ListView } from '../ui/list-view.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { toLabel } from '../ui/Status.tsx';
import { toast } from '../ui/toast.ts';
import { useUrlStates } from '../ui/use-url-state.ts';
import { type Delivery, type DeliveryFilter, type Endpoint, type Ping, useDeliveries, useResend } from './api.ts';
import { DeliveryRow } from './DeliveryRow.tsx';
import { ALL_EVENT_TYPES } from './event-types.ts';
import { Replay } from './Replay.tsx';

/** Searches and sorts the loaded deliveries. The API filters by status, event and time. */
const VIEW: ListView<Delivery> = {
  text: ({ id, eventId, type, status, attempts }) =>
    `${id} ${eventId} ${type} ${toLabel(status)} ${attempts.map(({ id: attempt, responseStatus }) => `${attempt} ${responseStatus ?? ''}`).join(' ')}`,
  sorts: {
    oldest: { label: 'Oldest first', compare: byTime(({ createdAt }) => createdAt) },
    attempts: { label: 'Most attempts', compare: (a, b) => b.attempts.length - a.attempts.length },
    next: { label: 'Next attempt', compare: byTime(({ nextAttemptAt }) => nextAttemptAt) },
  },
};

/** Recent deliveries to an endpoint and its responses, filtered by status, event and time. */
export function Deliveries({ endpoint: { id, url, active }, ping }: { endpoint: Endpoint; ping: Ping }) {
  const { filter, hours, choose } = useDeliveryFilter();
  const listFilter = useListFilter('q', 'list-');
  const [selected, setSelected] = useState<readonly string[]>([]);
  const select = useCallback(
    (chosen: string, isSelected: boolean) =>
      setSelected((before) => [...before.filter((other) => other !== chosen), ...(isSelected ? [chosen] : [])]),
    [],
  );
  const { mutateAsync: resend } = useResend();
  const deliveries = useDeliveries(id, filter, ping);
  const missed = deliveries.data?.data.findLast(({ status }) => status === 'SKIPPED' || status === 'FAILED');
  const oldest = deliveries.data?.data.at(-1);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const since = (missed ?? oldest)?.createdAt;
  return (
    <Section
      title="Deliveries"
      description="Recent deliveries and the responses from your endpoint. You can replay any of them."
      actions={active && since && <Replay id={id} since={since} hasMissed={missed !== undefined} />}
    >
      <Filters filter={filter} hours={hours} choose={choose} />
      {selected.length > 0 && (
        <ReplaySelected
          ids={selected}
          deselect={(ids) => setSelected((before) => before.filter((selectedId) => !ids.includes(selectedId)))}
        />
      )}
      <QueryBoundary query={deliveries}>
        {({ data }) =>
          data.length === 0 ? (
            <>
              <EmptyState title={isFiltered ? 'No matching deliveries' : 'No deliveries yet'}>
                {isFiltered
                  ? 'Try a different status, event or time.'
                  : 'Send a test event to check that your endpoint responds.'}
              </EmptyState>
              <ShowMore list={deliveries} />
            </>
          ) : (
            <FilteredItems
              name="deliveries"
              items={data}
              filter={listFilter}
              view={VIEW}
              more={<ShowMore list={deliveries} />}
              {...(deliveries.hasNextPage ? { noMatch: `No matching deliveries in the newest ${data.length}` } : {})}
            >
              {(items) => (
                <div className="card">
                  {items.map((delivery) => (
                    <DeliveryRow
                      key={delivery.id}
                      delivery={delivery}
                      url={url}
                      active={active}
                      selected={selected.includes(delivery.id)}
                      select={select}
                      resend={resend}
                    />
                  ))}
                </div>
              )}
            </FilteredItems>
          )
        }
      </QueryBoundary>
    </Section>
  );
}

const HOUR_MS = 3_600_000;
const TIMES = [
  { value: '', label: 'Any time' },
  { value: '1', label: 'Last hour' },
  { value: '24', label: 'Last 24 hours' },
  { value: '168', label: 'Last 7 days' },
];

interface FiltersProps {
  filter: DeliveryFilter;
  /** Number of hours, one of {@link TIMES}; empty for any time. */
  hours: string;
  choose: (change: Readonly<Record<string, string>>) => void;
}

/** Reads the filter that the API applies from the URL: `?status=FAILED&event=ping&hours=24`. */
function useDeliveryFilter(): FiltersProps {
  const [{ status, event, hours: hoursInUrl }, choose] = useUrlStates(['status', 'event', 'hours']);
  const hours = TIMES.find(({ value }) => value === hoursInUrl)?.value ?? '';
  // Memoized: a start time that moves would request another list with each render.
  const from = useMemo(
    () => (hours === '' ? undefined : new Date(Date.now() - Number(hours) * HOUR_MS).toISOString()),
    [hours],
  );
  const filter = {
    status: DELIVERY_STATUSES.find((known) => known === status),
    type: ALL_EVENT_TYPES.find((known) => known === event),
    from,
  };
  return { filter, hours, choose };
}

function Filters({ filter, hours, choose }: FiltersProps) {
  const statuses = DELIVERY_STATUSES.map((value) => ({ value, label: toLabel(value) }));
  return (
    <Group gap="xs" className="choices">
      <NativeSelect
        size="xs"
        aria-label="Filter by status"
        value={filter.status ?? ''}
        data={[{ value: '', label: 'All statuses' }, ...statuses]}
        onChange={({ currentTarget: { value } }) => choose({ status: value })}
      />
      <NativeSelect
        size="xs"
        aria-label="Filter by event"
        value={filter.type ?? ''}
        data={[{ value: '', label: 'All events' }, ...ALL_EVENT_TYPES.map((value) => ({ value, label: value }))]}
        onChange={({ currentTarget: { value } }) => choose({ event: value })}
      />
      <NativeSelect
        size="xs"
        aria-label="Filter by time"
        value={hours}
        data={TIMES}
        onChange={({ currentTarget: { value } }) => choose({ hours: value })}
      />
    </Group>
  );
}

/** Replays the selected deliveries one after the other and shows the progress. Deliveries that could not be queued stay selected. */
function ReplaySelected({ ids, deselect }: { ids: readonly string[]; deselect: (ids: readonly string[]) => void }) {
  const resend = useResend();
  const [done, setDone] = useState<number | undefined>();
  const replay = async () => {
    const queued: string[] = [];
    try {
      for (const id of ids) {
        setDone(queued.length);
        await resend.mutateAsync({ params: { id } });
        queued.push(id);
      }
      toast(`${ids.length} ${ids.length === 1 ? 'delivery' : 'deliveries'} queued.`);
    } finally {
      setDone(undefined);
      deselect(queued);
    }
  };
  return (
    <Group gap="xs">
      <Text size="sm" role="status">
        {done === undefined ? `${ids.length} selected` : `${done} of ${ids.length} queued`}
      </Text>
      {done !== undefined && <progress aria-label="Deliveries queued" value={done} max={ids.length} />}
      <ActionButton size="xs" action={replay}>
        Replay selected
      </ActionButton>
      <Button size="xs" variant="default" onClick={() => deselect(ids)} disabled={done !== undefined}>
        Clear
      </Button>
    </Group>
  );
}
