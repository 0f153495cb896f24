import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useLocation } from 'wouter';
import { invoiceNumberIn } from '../../contract/billing/invoice-number.ts';
import { missingAmountOf } from '../../contract/errors.ts';
import { type Failure, toFailure } from '../api/failure.ts';
import { ButtonLink } from './TextLink.tsx';

/** Screens on which the user can fix the cause of an error, by error code. */
const NEXT_STEPS: Partial<Record<Failure['code'], { href: string; name: string }>> = {
  plan_limit: { href: '/billing/plans', name: 'Upgrade' },
  insufficient_funds: { href: '/billing', name: 'Top up' },
  insufficient_credits: { href: '/ai', name: 'Buy credits' },
};

/** Returns a link that resolves a failure: a top-up of the missing amount, the invoice that the message names, or the screen for the error code. */
function nextStepOf(failure: Failure, currentPath: string): { href: string; name: string } | undefined {
  const missing = missingAmountOf(failure);
  if (missing)
    return { href: `/billing?${new URLSearchParams({ amount: missing, from: currentPath })}`, name: 'Top up' };
  const invoice = invoiceNumberIn(failure.message);
  return invoice ? { href: `/billing/invoices?q=${invoice}`, name: 'Open invoice' } : NEXT_STEPS[failure.code];
}

interface FailureAlertProps {
  error: unknown;
  /** Repeats the failed operation. Omitted in forms, whose submit button does it. */
  retry?: (() => void) | undefined;
  /** True for a read, which is retried automatically while its failure is transient. */
  isRead?: boolean;
  isRetrying?: boolean;
}

/** An alert with the API's message and the request id to quote to support. */
export function FailureAlert({ error, retry, isRead = true, isRetrying = false }: FailureAlertProps) {
  const failure = toFailure(error);
  const { message, requestId, isTransient } = failure;
  const [currentPath] = useLocation();
  const nextStep = nextStepOf(failure, currentPath);
  return (
    <Alert role="alert" color="red" variant="default" style={{ borderColor: 'var(--bad)' }}>
      <Group justify="space-between" gap="sm">
        <Stack gap={2}>
          <Text size="sm" c="var(--bad)" fw={600} className="break">
            {message}
          </Text>
          {requestId && (
            <Text size="xs" c="dimmed" className="break">
              Request id: <code>{requestId}</code>
            </Text>
          )}
          {retry && isRead && isTransient && (
            <Text size="xs" c="dimmed">
              Retrying automatically…
            </Text>
          )}
        </Stack>
        {nextStep && (
          <ButtonLink size="xs" href={nextStep.href}>
            {nextStep.name}
          </ButtonLink>
        )}
        {retry && (
          <Button size="xs" variant="default" onClick={retry} loading={isRetrying}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}
