import { SimpleGrid, Stack } from '@mantine/core';
import { type Column, DataTable } from '../ui/DataTable.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { FilteredItems, useListFilter } from '../ui/FilteredItems.tsx';
import { byTime, type ListView } from '../ui/list-view.ts';
import { formatRand } from '../ui/money.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { Stat } from '../ui/Stat.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { AutoTopUp } from './AutoTopUp.tsx';
import { useAutoTopUp, useWallet, type Wallet } from './api.ts';
import { PaymentNote } from './PaymentNote.tsx';
import { TopUp } from './TopUp.tsx';

type Transaction = Wallet['transactions'][number];

const TYPE_LABELS: Readonly<Record<Transaction['type'], string>> = {
  TOPUP: 'Top-up',
  PAYMENT: 'Payment',
  REFUND: 'Refund',
  ADJUSTMENT: 'Adjustment',
};

const COLUMNS: readonly Column<Transaction>[] = [
  { name: 'Date', show: ({ createdAt }) => <TimeAgo at={createdAt} /> },
  { name: 'Description', show: ({ type, description }) => description || TYPE_LABELS[type] },
  { name: 'Type', show: ({ type }) => TYPE_LABELS[type] },
  { name: 'Amount', number: true, show: ({ amount }) => formatRand(amount) },
  { name: 'Balance', number: true, show: ({ balanceAfter }) => formatRand(balanceAfter) },
];

/** The prepaid wallet: balance, top-ups and transactions. */
export function WalletTab() {
  const wallet = useWallet();
  const autoTopUp = useAutoTopUp();
  return (
    <QueryBoundary query={wallet} lines={4}>
      {({ data }) => (
        <Stack gap="xl">
          <PaymentNote />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Stack className="card" p="md" gap="md">
              <Stat name="Balance" value={formatRand(data.balance)} />
              {data.frozen && <Stat name="Frozen: a card payment is disputed" value={formatRand(data.frozen)} />}
              <TopUp />
            </Stack>
            <div className="card" style={{ padding: 'var(--mantine-spacing-md)' }}>
              <QueryBoundary query={autoTopUp}>
                {({ data: settings }) => <AutoTopUp key={JSON.stringify(settings)} settings={settings} />}
              </QueryBoundary>
            </div>
          </SimpleGrid>
          <Section title="Transactions" description="The latest 100 transactions.">
            <Transactions transactions={data.transactions} />
          </Section>
        </Stack>
      )}
    </QueryBoundary>
  );
}

const VIEW: ListView<Transaction> = {
  text: ({ type, description, amount }) => `${TYPE_LABELS[type]} ${description} ${amount}`,
  sorts: {
    oldest: { label: 'Oldest first', compare: byTime(({ createdAt }) => createdAt) },
    amount: {
      label: 'Largest amount',
      compare: (a, b) => Math.abs(Number(b.amount)) - Math.abs(Number(a.amount)),
    },
  },
  status: ({ type }) => TYPE_LABELS[type],
  statusName: { one: 'type', all: 'All types' },
};

function Transactions({ transactions }: Pick<Wallet, 'transactions'>) {
  const filter = useListFilter();
  if (transactions.length === 0)
    return <EmptyState title="No transactions yet">Top up the wallet to buy domains, plans and AI credits.</EmptyState>;
  return (
    <FilteredItems name="transactions" items={transactions} filter={filter} view={VIEW}>
      {(items) => (
        <DataTable
          name="Wallet transactions"
          items={items}
          idOf={({ createdAt, balanceAfter, amount }) => `${createdAt} ${amount} ${balanceAfter}`}
          columns={COLUMNS}
        />
      )}
    </FilteredItems>
  );
}
