import { type Column, DataTable } from '../ui/DataTable.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { formatMicroRand } from '../ui/money.ts';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import type { LedgerEntry } from './api.ts';

const TYPE_LABELS: Readonly<Record<LedgerEntry['type'], string>> = {
  CALL: 'Call',
  PURCHASE: 'Credits bought',
  ADJUSTMENT: 'Adjustment',
};

const formatTokens = (count: number): string => (count === 0 ? '' : count.toLocaleString('en-ZA'));

const COLUMNS: readonly Column<LedgerEntry>[] = [
  { name: 'Date', show: ({ createdAt }) => <TimeAgo at={createdAt} /> },
  { name: 'Description', show: ({ type, model }) => model ?? TYPE_LABELS[type] },
  { name: 'Input', number: true, show: ({ inputTokens }) => formatTokens(inputTokens) },
  { name: 'Cached', number: true, show: ({ cachedTokens }) => formatTokens(cachedTokens) },
  { name: 'Output', number: true, show: ({ outputTokens }) => formatTokens(outputTokens) },
  { name: 'Amount', number: true, show: ({ amountMicroRand }) => formatMicroRand(amountMicroRand) },
];

/** Every call and purchase, newest first. */
export const UsageHistory = ({ entries }: { entries: readonly LedgerEntry[] }) =>
  entries.length === 0 ? (
    <EmptyState title="No usage yet">Buy credits to call models.</EmptyState>
  ) : (
    <DataTable name="AI usage history" items={entries} idOf={({ id }) => id} columns={COLUMNS} />
  );
