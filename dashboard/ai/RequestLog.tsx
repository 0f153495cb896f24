import { Group, NativeSelect, Stack } from '@mantine/core';
import { CopyId } from '../ui/CopyId.tsx';
import { formatMs, formatNumber, formatShare } from '../ui/chart/figures.ts';
import { type Column, DataTable } from '../ui/DataTable.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { FilteredItems, useListFilter } from '../ui/FilteredItems.tsx';
import { byTime, type ListView } from '../ui/list-view.ts';
import { formatMicroRand } from '../ui/money.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { useUrlState } from '../ui/use-url-state.ts';
import { type AiCall, type ProviderStats, STATS_DAYS, useCalls, useProviderStats } from './api.ts';

const PROVIDER_COLUMNS: readonly Column<ProviderStats>[] = [
  { name: 'Provider', show: ({ provider }) => provider },
  { name: 'Calls', number: true, show: ({ calls }) => formatNumber(calls) },
  { name: 'Errors', number: true, show: ({ failed, calls }) => formatShare(failed, calls) },
  { name: 'Duration p50', number: true, show: ({ p50Ms }) => formatMs(p50Ms) },
  { name: 'Duration p95', number: true, show: ({ p95Ms }) => formatMs(p95Ms) },
  {
    name: 'First byte p50',
    number: true,
    show: ({ firstByteP50Ms }) => (firstByteP50Ms === null ? '–' : formatMs(firstByteP50Ms)),
  },
];

const CALL_COLUMNS: readonly Column<AiCall>[] = [
  { name: 'Time', show: ({ createdAt }) => <TimeAgo at={createdAt} /> },
  { name: 'Model', show: ({ model, ownKey }) => (ownKey ? `${model} (your key)` : model) },
  {
    name: 'Status',
    show: ({ status, code }) => (code === null ? status : <span className="row-warning">{`${status} ${code}`}</span>),
  },
  { name: 'Tokens in / out', number: true, show: (call) => `${call.inputTokens} / ${call.outputTokens}` },
  { name: 'Cost', number: true, show: ({ amountMicroRand }) => formatMicroRand(amountMicroRand) },
  { name: 'Duration', number: true, show: ({ durationMs }) => formatMs(durationMs) },
  { name: 'Request ID', show: ({ requestId }) => <CopyId id={requestId} /> },
];

const VIEW: ListView<AiCall> = {
  text: ({ model, status, code, requestId }) => `${model} ${status} ${code ?? ''} ${requestId}`,
  sorts: {
    oldest: { label: 'Oldest first', compare: byTime(({ createdAt }) => createdAt) },
    duration: { label: 'Slowest first', compare: (a, b) => b.durationMs - a.durationMs },
    cost: { label: 'Highest cost', compare: (a, b) => b.amountMicroRand - a.amountMicroRand },
  },
};

const FILTERS = [
  { value: '', label: 'All requests' },
  { value: 'true', label: 'Failed' },
  { value: 'false', label: 'Succeeded' },
];

/** Latency and errors by provider, and the individual calls. Prompts and responses are never stored. */
export function RequestLog() {
  const [result, setResult] = useUrlState('failed');
  const failed = FILTERS.find(({ value }) => value === result)?.value ?? '';
  const calls = useCalls(failed === '' ? undefined : failed);
  const stats = useProviderStats();
  const filter = useListFilter();
  return (
    <Stack gap="xl">
      <Section title="Providers" description={`Your calls in the last ${STATS_DAYS} days.`}>
        <QueryBoundary query={stats}>
          {({ data: { providers } }) =>
            providers.length === 0 ? (
              <EmptyState title="No requests yet" action={<ButtonLink href="/ai/playground">Try a model</ButtonLink>}>
                The latency and error rate of each provider appear here.
              </EmptyState>
            ) : (
              <DataTable
                name="Providers"
                items={providers}
                idOf={({ provider }) => provider}
                columns={PROVIDER_COLUMNS}
              />
            )
          }
        </QueryBoundary>
      </Section>
      <Section
        title="Requests"
        description="The last 30 days. Prompts and responses are never stored."
        actions={
          <Group gap="xs">
            <NativeSelect
              size="xs"
              aria-label="Filter by result"
              value={failed}
              data={FILTERS}
              onChange={({ currentTarget }) => setResult(currentTarget.value)}
            />
          </Group>
        }
      >
        <QueryBoundary query={calls}>
          {({ data }) =>
            data.length === 0 ? (
              <>
                <EmptyState title={failed === '' ? 'No requests yet' : 'No matching requests'}>
                  {failed === ''
                    ? 'Each model call appears here with its tokens, cost and duration.'
                    : 'Try a different filter.'}
                </EmptyState>
                <ShowMore list={calls} />
              </>
            ) : (
              <FilteredItems
                name="requests"
                items={data}
                filter={filter}
                view={VIEW}
                more={<ShowMore list={calls} />}
                {...(calls.hasNextPage ? { noMatch: `No matching requests in the newest ${data.length}` } : {})}
              >
                {(items) => <DataTable name="Requests" items={items} idOf={({ id }) => id} columns={CALL_COLUMNS} />}
              </FilteredItems>
            )
          }
        </QueryBoundary>
      </Section>
    </Stack>
  );
}
