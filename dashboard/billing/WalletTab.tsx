import { SimpleGrid, Stack } from '@mantine/core';
import { type Column, DataTable } from '../ui/DataTable.tsx';
import { Empty } from '../ui/EmptyState.tsx';
import { rand } from '../ui/money.ts';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { Figure } from '../ui/Stat.tsx';
import { When } from '../ui/TimeAgo.tsx';
import { AutoTopUp } from './AutoTopUp.tsx';
import { useAutoTopUp, useWallet, type Wallet } from './api.ts';
import { PaymentNote } from './PaymentNote.tsx';
import { TopUp } from './TopUp.tsx';

type Transaction = Wallet['transactions'][number];

const WORDS: Readonly<Record<Transaction['type'], string>> = {
  TOPUP: 'Top-up',
  PAYMENT: 'Payment',
  REFUND: 'Refund',
  ADJUSTMENT: 'Adjustment',
};

const COLUMNS: readonly Column<Transaction>[] = [
  { name: 'When', show: ({ createdAt }) => <When at={createdAt} /> },
  { name: 'What', show: ({ type, description }) => description || WORDS[type] },
  { name: 'Kind', show: ({ type }) => WORDS[type] },
  { name: 'Amount', number: true, show: ({ amount }) => rand(amount) },
  { name: 'Balance', number: true, show: ({ balanceAfter }) => rand(balanceAfter) },
];

/** The prepaid wallet: what is in it, how more gets there, where it went. */
export function WalletTab() {
  const wallet = useWallet();
  const autoTopUp = useAutoTopUp();
  return (
    <Loaded query={wallet} lines={4}>
      {({ data }) => (
        <Stack gap="xl">
          <PaymentNote />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Stack className="card" p="md" gap="md">
              <Figure name="Balance" value={rand(data.balance)} />
              <TopUp />
            </Stack>
            <div className="card" style={{ padding: 'var(--mantine-spacing-md)' }}>
              <Loaded query={autoTopUp}>
                {({ data: settings }) => <AutoTopUp key={JSON.stringify(settings)} settings={settings} />}
              </Loaded>
            </div>
          </SimpleGrid>
          <Section title="Transactions" about="The newest 100.">
            <Transactions transactions={data.transactions} />
          </Section>
        </Stack>
      )}
    </Loaded>
  );
}

const Transactions = ({ transactions }: Pick<Wallet, 'transactions'>) =>
  transactions.length === 0 ? (
    <Empty title="Nothing has moved yet">Top up the wallet to order domains, plans and AI credits.</Empty>
  ) : (
    <DataTable
      name="Wallet transactions"
      items={transactions}
      idOf={({ createdAt, balanceAfter, amount }) => `${createdAt} ${amount} ${balanceAfter}`}
      columns={COLUMNS}
    />
  );
