import { Alert, Group, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useSearch } from 'wouter';
import { getMe } from '../../contract/accounts/me.ts';
import { listInvoices } from '../../contract/billing/invoices.ts';
import { getWallet } from '../../contract/billing/wallet.ts';
import { useInvalidate } from '../api/use-api-query.ts';
import { formatRand } from '../ui/money.ts';
import { Status } from '../ui/Status.tsx';
import { usePayment } from './api.ts';

/** Outcome of the card payment that the browser returns from (`?payment=…`). */
export function PaymentNote() {
  const id = new URLSearchParams(useSearch()).get('payment');
  return id === null ? null : <Outcome id={id} />;
}

const OUTCOME_TEXTS = {
  PENDING: 'is being processed. This page updates automatically.',
  SUCCEEDED: 'was added to your wallet.',
  FAILED: 'was declined. You were not charged. Try again or use another card.',
} as const;

function Outcome({ id }: { id: string }) {
  const payment = usePayment(id).data?.data;
  const refresh = useInvalidate();
  const decided = payment !== undefined && payment.status !== 'PENDING';
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is decided
  useEffect(() => {
    if (decided) refresh([getWallet, getMe, listInvoices]);
  }, [decided]);
  if (!payment) return null;
  return (
    <Alert variant="default" role="status">
      <Group gap="sm">
        <Status value={payment.status} />
        <Text size="sm">
          Your card payment of {formatRand(payment.amount)} {OUTCOME_TEXTS[payment.status]}
        </Text>
      </Group>
    </Alert>
  );
}
