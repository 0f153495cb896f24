import { Alert, Group, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useSearch } from 'wouter';
import { useInvalidate } from '../api/use-api-query.ts';
import { formatRand } from '../ui/money.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Status } from '../ui/Status.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { PAYMENT_ROUTES, usePayment } from './api.ts';
import { purchaseScreen } from './purchase.ts';

/** Outcome of the card payment from which the browser returns (`?payment=…`). */
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
  const query = usePayment(id);
  const payment = query.data?.data;
  const refresh = useInvalidate();
  const decided = payment !== undefined && payment.status !== 'PENDING';
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the payment is decided
  useEffect(() => {
    if (decided) refresh(PAYMENT_ROUTES);
  }, [decided]);
  if (!payment) return query.errorUpdateCount > 0 && <QueryBoundary query={query}>{() => null}</QueryBoundary>;
  const purchase = payment.status === 'SUCCEEDED' ? purchaseScreen() : undefined;
  return (
    <Alert variant="default" role="status">
      <Group gap="sm">
        <Status value={payment.status} />
        <Text size="sm">
          Your card payment of {formatRand(payment.amount)} {OUTCOME_TEXTS[payment.status]}
        </Text>
        {purchase !== undefined && (
          <ButtonLink href={purchase} size="xs">
            Back to your purchase
          </ButtonLink>
        )}
      </Group>
    </Alert>
  );
}
