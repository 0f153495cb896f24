import { formatMicroRand, formatRand } from '../ui/money.ts';
import { Status, toLabel } from '../ui/Status.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { ListSection, NameWithId } from './AccountLists.tsx';
import type { AccountPage } from './api.ts';

/** Ledgers, invoices and subscriptions of an account. */
export const AccountMoney = ({ page: { wallet, credits, invoices, subscriptions } }: { page: AccountPage }) => (
  <>
    <ListSection
      title="Wallet"
      items={wallet.transactions}
      idOf={({ createdAt, balanceAfter }) => `${createdAt} ${balanceAfter}`}
      columns={[
        { name: 'When', show: ({ createdAt }) => <TimeAgo at={createdAt} /> },
        { name: 'What', show: ({ description }) => description },
        { name: 'Amount', show: ({ amount }) => formatRand(amount), number: true },
        { name: 'Balance', show: ({ balanceAfter }) => formatRand(balanceAfter), number: true },
      ]}
    />
    <ListSection
      title="AI credits"
      items={credits.entries}
      idOf={({ id }) => id}
      columns={[
        { name: 'When', show: ({ createdAt }) => <TimeAgo at={createdAt} /> },
        {
          name: 'What',
          show: ({ type, model, requestId }) => <NameWithId name={model ?? toLabel(type)} id={requestId} />,
        },
        { name: 'Amount', show: ({ amountMicroRand }) => formatMicroRand(amountMicroRand), number: true },
      ]}
    />
    <ListSection
      title="Invoices"
      items={invoices}
      idOf={({ id }) => id}
      columns={[
        { name: 'Number', show: ({ number, id }) => <NameWithId name={number} id={id} /> },
        { name: 'Status', show: ({ status }) => <Status value={status} /> },
        { name: 'Amount', show: ({ amount }) => formatRand(amount), number: true },
      ]}
    />
    <ListSection
      title="Subscriptions"
      items={subscriptions}
      idOf={({ id }) => id}
      columns={[
        { name: 'Plan', show: ({ plan, id }) => <NameWithId name={plan.name} id={id} /> },
        { name: 'Status', show: ({ status }) => <Status value={status} /> },
        { name: 'Period ends', show: ({ currentPeriodEnd }) => <TimeAgo at={currentPeriodEnd} /> },
      ]}
    />
  </>
);
