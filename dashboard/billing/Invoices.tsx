import { memo } from 'react';
import { EmptyState } from '../ui/EmptyState.tsx';
import { useListFilter } from '../ui/FilteredItems.tsx';
import { FilteredList } from '../ui/FilteredList.tsx';
import { byTime, type ListView } from '../ui/list-view.ts';
import { formatRand } from '../ui/money.ts';
import { LinkRow } from '../ui/Row.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { formatDate } from '../ui/TimeAgo.tsx';
import { type Invoice, useInvoices } from './api.ts';

const KIND_LABELS: Readonly<Record<Invoice['kind'], string>> = {
  PLAN: 'Plan',
  DOMAIN: 'Domain',
  AI_CREDITS: 'AI credits',
};

const VIEW: ListView<Invoice> = {
  text: ({ number, kind, amount }) => `${number} ${KIND_LABELS[kind]} ${amount}`,
  sorts: {
    oldest: { label: 'Oldest first', compare: byTime(({ issuedAt }) => issuedAt) },
    due: { label: 'Due date', compare: byTime(({ dueAt }) => dueAt) },
    amount: { label: 'Largest amount', compare: (a, b) => Number(b.amount) - Number(a.amount) },
  },
  status: ({ status }) => status,
};

/** The account's invoices. */
export function Invoices() {
  const filter = useListFilter();
  const invoices = useInvoices({ allPages: filter.isActive });
  return (
    <Section title="Invoices">
      <FilteredList
        name="invoices"
        list={invoices}
        filter={filter}
        view={VIEW}
        empty={
          <EmptyState title="No invoices yet" action={<ButtonLink href="/billing/plans">See plans</ButtonLink>}>
            Plans, domains and AI credits that you buy appear here.
          </EmptyState>
        }
      >
        {(items) => (
          <div className="card">
            {items.map((invoice) => (
              <InvoiceRow key={invoice.id} invoice={invoice} />
            ))}
          </div>
        )}
      </FilteredList>
    </Section>
  );
}

const InvoiceRow = memo(({ invoice: { id, number, kind, status, amount, issuedAt, dueAt } }: { invoice: Invoice }) => (
  <LinkRow
    href={`/billing/invoices/${id}`}
    title={number}
    detail={`${KIND_LABELS[kind]} · ${formatDate(issuedAt)}${status === 'UNPAID' ? ` · due ${formatDate(dueAt)}` : ''}`}
  >
    <Status value={status} />
    <span style={{ fontVariantNumeric: 'tabular-nums' }}>{formatRand(amount)}</span>
  </LinkRow>
));
