import { Group, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { INVOICE_STATUSES } from '../../contract/enums.ts';
import { Empty } from '../ui/EmptyState.tsx';
import { rand } from '../ui/money.ts';
import { Pager } from '../ui/Pager.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { dateOf } from '../ui/TimeAgo.tsx';
import { type Invoice, type InvoiceStatus, PAGE_SIZE, useInvoices } from './api.ts';
import { KIND_WORDS } from './labels.ts';

const statusOf = (text: string): InvoiceStatus | '' => INVOICE_STATUSES.find((status) => status === text) ?? '';

/** The account's invoices, a page at a time. */
export function Invoices() {
  const [status, setStatus] = useState<InvoiceStatus | ''>('');
  const [offset, setOffset] = useState(0);
  const choose = (text: string) => {
    setStatus(statusOf(text));
    setOffset(0);
  };
  const filter = (
    <NativeSelect
      aria-label="Which invoices"
      value={status}
      onChange={(event) => choose(event.currentTarget.value)}
      data={[{ value: '', label: 'All' }, ...INVOICE_STATUSES]}
    />
  );
  return (
    <Section title="Invoices" actions={filter}>
      <Loaded query={useInvoices(status, offset)}>
        {({ data, has_more }) => (
          <>
            {data.length === 0 && <Empty title="No invoices here" />}
            {data.length > 0 && (
              <div className="card">
                {data.map((invoice) => (
                  <Row key={invoice.id} invoice={invoice} />
                ))}
              </div>
            )}
            <Pager offset={offset} size={PAGE_SIZE} hasMore={has_more} go={setOffset} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

const Row = ({ invoice: { id, number, kind, status, amount, issuedAt, dueAt } }: { invoice: Invoice }) => (
  <Link href={`/billing/invoices/${id}`} className="row">
    <Group justify="space-between" gap="xs">
      <div>
        <Text fw={600}>{number}</Text>
        <Text size="sm" c="dimmed">
          {KIND_WORDS[kind]} · {dateOf(issuedAt)}
          {status === 'UNPAID' && ` · due ${dateOf(dueAt)}`}
        </Text>
      </div>
      <Group gap="sm">
        <Text style={{ fontVariantNumeric: 'tabular-nums' }}>{rand(amount)}</Text>
        <Status of={status} />
      </Group>
    </Group>
  </Link>
);
