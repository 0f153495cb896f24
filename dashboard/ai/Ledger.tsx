import { type Column, DataTable } from '../ui/DataTable.tsx';
import { Empty } from '../ui/EmptyState.tsx';
import { microRand } from '../ui/money.ts';
import { When } from '../ui/TimeAgo.tsx';
import type { Entry } from './api.ts';

const WORDS: Readonly<Record<Entry['type'], string>> = {
  CALL: 'Call',
  PURCHASE: 'Credits bought',
  ADJUSTMENT: 'Adjustment',
};

const tokens = (count: number): string => (count === 0 ? '' : count.toLocaleString('en-ZA'));

const COLUMNS: readonly Column<Entry>[] = [
  { name: 'When', show: ({ createdAt }) => <When at={createdAt} /> },
  { name: 'What', show: ({ type, model }) => model ?? WORDS[type] },
  { name: 'Input', number: true, show: ({ inputTokens }) => tokens(inputTokens) },
  { name: 'Cached', number: true, show: ({ cachedTokens }) => tokens(cachedTokens) },
  { name: 'Output', number: true, show: ({ outputTokens }) => tokens(outputTokens) },
  { name: 'Amount', number: true, show: ({ amountMicroRand }) => microRand(amountMicroRand) },
];

/** Every call and purchase, newest first. */
export const Ledger = ({ entries }: { entries: readonly Entry[] }) =>
  entries.length === 0 ? (
    <Empty title="The ledger is empty">Buy credits to call models on them.</Empty>
  ) : (
    <DataTable name="Ledger of AI credits" items={entries} idOf={({ id }) => id} columns={COLUMNS} />
  );
