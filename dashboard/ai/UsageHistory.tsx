import type { ReactNode } from 'react';
import { formatNumber } from '../ui/chart/figures.ts';
import { type Column, DataTable } from '../ui/DataTable.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { FilteredItems, useListFilter } from '../ui/FilteredItems.tsx';
import { byTime, type ListView } from '../ui/list-view.ts';
import { formatMicroRand } from '../ui/money.ts';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import type { LedgerEntry } from './api.ts';

const TYPE_LABELS: Readonly<Record<LedgerEntry['type'], string>> = {
  CALL: 'Call',
  PURCHASE: 'Credits bought',
  ADJUSTMENT: 'Adjustment',
};

const formatTokens = (count: number): string => (count === 0 ? '' : formatNumber(count));

const COLUMNS: readonly Column<LedgerEntry>[] = [
  { name: 'Date', show: ({ createdAt }) => <TimeAgo at={createdAt} /> },
  { name: 'Description', show: ({ type, model }) => model ?? TYPE_LABELS[type] },
  { name: 'Input', number: true, show: ({ inputTokens }) => formatTokens(inputTokens) },
  { name: 'Cached', number: true, show: ({ cachedTokens }) => formatTokens(cachedTokens) },
  { name: 'Output', number: true, show: ({ outputTokens }) => formatTokens(outputTokens) },
  { name: 'Amount', number: true, show: ({ amountMicroRand }) => formatMicroRand(amountMicroRand) },
];

const VIEW: ListView<LedgerEntry> = {
  text: ({ type, model, requestId }) => `${TYPE_LABELS[type]} ${model ?? ''} ${requestId ?? ''}`,
  sorts: {
    oldest: { label: 'Oldest first', compare: byTime(({ createdAt }) => createdAt) },
    amount: {
      label: 'Largest amount',
      compare: (a, b) => Math.abs(b.amountMicroRand) - Math.abs(a.amountMicroRand),
    },
  },
  status: ({ type }) => TYPE_LABELS[type],
  statusName: { one: 'type', all: 'All types' },
};

interface UsageHistoryProps {
  entries: readonly LedgerEntry[];
  /** True while older entries are not loaded. A search covers only the loaded ones. */
  hasMore: boolean;
  /** Control that loads older entries. */
  more: ReactNode;
}

/** Every call and purchase, newest first. */
export function UsageHistory({ entries, hasMore, more }: UsageHistoryProps) {
  const filter = useListFilter();
  if (entries.length === 0) return <EmptyState title="No usage yet">Buy credits to call models.</EmptyState>;
  return (
    <FilteredItems
      name="entries"
      items={entries}
      filter={filter}
      view={VIEW}
      more={more}
      {...(hasMore ? { noMatch: `No matching entries in the newest ${entries.length}` } : {})}
    >
      {(items) => <DataTable name="AI usage history" items={items} idOf={({ id }) => id} columns={COLUMNS} />}
    </FilteredItems>
  );
}
