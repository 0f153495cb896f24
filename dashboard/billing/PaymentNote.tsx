import { Alert, Group, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useSearch } from 'wouter';
import { getMe } from '../../contract/accounts/me.ts';
import { listInvoices } from '../../contract/billing/invoices.ts';
import { getWallet } from '../../contract/billing/wallet.ts';
import { useRefresh } from '../api/use-api-query.ts';
import { rand } from '../ui/money.ts';
import { Status } from '../ui/Status.tsx';
import { usePayment } from './api.ts';

/** What has become of the card payment that the browser has just come back from: `?payment=…`. */
export function PaymentNote() {
  const id = new URLSearchParams(useSearch()).get('payment');
  return id === null ? null : <Outcome id={id} />;
}

const WORDS = {
  PENDING: 'is being made. This page notices when it has come.',
  SUCCEEDED: 'is in your wallet.',
  FAILED: 'was declined. Nothing was charged; try again, or another card.',
} as const;

function Outcome({ id }: { id: string }) {
  const payment = usePayment(id).data?.data;
  const refresh = useRefresh();
  const decided = payment !== undefined && payment.status !== 'PENDING';
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is decided
  useEffect(() => {
    if (decided) refresh([getWallet, getMe, listInvoices]);
  }, [decided]);
  if (!payment) return null;
  return (
    <Alert variant="default" role="status">
      <Group gap="sm">
        <Status of={payment.status} />
        <Text size="sm">
          Your card payment of {rand(payment.amount)} {WORDS[payment.status]}
        </Text>
      </Group>
    </Alert>
  );
}
