import { formatMicroRand, formatRand } from '../ui/money.ts';
import { Status, toLabel } from '../ui/Status.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { List, Named } from './AccountLists.tsx';
import type { AccountPage } from './api.ts';

/** Ledgers, invoices and subscriptions of an account. */
export const Money = ({ page: { wallet, credits, invoices, subscriptions } }: { page: AccountPage }) => (
  <>
    <List
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
    <List
      title="AI credits"
      items={credits.entries}
      idOf={({ id }) => id}
      columns={[
        { name: 'When', show: ({ createdAt }) => <TimeAgo at={createdAt} /> },
        { name: 'What', show: ({ type, model, requestId }) => <Named name={model ?? toLabel(type)} id={requestId} /> },
        { name: 'Amount', show: ({ amountMicroRand }) => formatMicroRand(amountMicroRand), number: true },
      ]}
    />
    <List
      title="Invoices"
      items={invoices}
      idOf={({ id }) => id}
      columns={[
        { name: 'Number', show: ({ number, id }) => <Named name={number} id={id} /> },
        { name: 'Status', show: ({ status }) => <Status value={status} /> },
        { name: 'Amount', show: ({ amount }) => formatRand(amount), number: true },
      ]}
    />
    <List
      title="Subscriptions"
      items={subscriptions}
      idOf={({ id }) => id}
      columns={[
        { name: 'Plan', show: ({ plan, id }) => <Named name={plan.name} id={id} /> },
        { name: 'Status', show: ({ status }) => <Status value={status} /> },
        { name: 'Period ends', show: ({ currentPeriodEnd }) => <TimeAgo at={currentPeriodEnd} /> },
      ]}
    />
  </>
);
