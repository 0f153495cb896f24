import { Group, NativeSelect, Text } from '@mantine/core';
import { Link } from 'wouter';
import { INVOICE_STATUSES } from '../../contract/enums.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { formatRand } from '../ui/money.ts';
import { Pager } from '../ui/Pager.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { Status, toLabel } from '../ui/Status.tsx';
import { formatDate } from '../ui/TimeAgo.tsx';
import { parseOffset, useUrlStates } from '../ui/use-url-state.ts';
import { type Invoice, type InvoiceStatus, PAGE_SIZE, useInvoices } from './api.ts';
import { KIND_LABELS } from './labels.ts';

const parseStatus = (text: string): InvoiceStatus | '' => INVOICE_STATUSES.find((status) => status === text) ?? '';

/** Paged list of the account's invoices. */
export function Invoices() {
  const [{ status: chosen = '', offset: at = '' }, change] = useUrlStates(['status', 'offset']);
  const status = parseStatus(chosen);
  const offset = parseOffset(at);
  const choose = (text: string) => change({ status: text, offset: '' });
  const setOffset = (to: number) => change({ offset: to === 0 ? '' : String(to) });
  const filter = (
    <NativeSelect
      aria-label="Filter by status"
      value={status}
      onChange={(event) => choose(event.currentTarget.value)}
      data={[{ value: '', label: 'All' }, ...INVOICE_STATUSES.map((value) => ({ value, label: toLabel(value) }))]}
    />
  );
  return (
    <Section title="Invoices" actions={filter}>
      <QueryBoundary query={useInvoices(status, offset)}>
        {({ data, has_more }) => (
          <>
            {data.length === 0 && <EmptyState title="No invoices" />}
            {data.length > 0 && (
              <div className="card">
                {data.map((invoice) => (
                  <InvoiceRow key={invoice.id} invoice={invoice} />
                ))}
              </div>
            )}
            <Pager offset={offset} size={PAGE_SIZE} hasMore={has_more} go={setOffset} />
          </>
        )}
      </QueryBoundary>
    </Section>
  );
}

const InvoiceRow = ({ invoice: { id, number, kind, status, amount, issuedAt, dueAt } }: { invoice: Invoice }) => (
  <Link href={`/billing/invoices/${id}`} className="row">
    <Group justify="space-between" gap="xs">
      <div>
        <Text fw={600}>{number}</Text>
        <Text size="sm" c="dimmed">
          {KIND_LABELS[kind]} · {formatDate(issuedAt)}
          {status === 'UNPAID' && ` · due ${formatDate(dueAt)}`}
        </Text>
      </div>
      <Group gap="sm">
        <Text style={{ fontVariantNumeric: 'tabular-nums' }}>{formatRand(amount)}</Text>
        <Status value={status} />
      </Group>
    </Group>
  </Link>
);
