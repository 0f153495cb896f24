import { Button, CopyButton, Group, Stack, Text } from '@mantine/core';
import { memo, useId, useState } from 'react';
import { ActionButton } from '../ui/ActionButton.tsx';
import { RowButton } from '../ui/RowButton.tsx';
import { Status, toLabel } from '../ui/Status.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { toast } from '../ui/toast.ts';
import type { Delivery, useResend } from './api.ts';
import { requestHeaders, toCurl } from './curl.ts';

interface DeliveryRowProps {
  delivery: Delivery;
  /** The endpoint's URL. */
  url: string;
  /** False if the endpoint is disabled, which rules out a replay. */
  active: boolean;
  /** True if it is selected for a replay with others. */
  selected: boolean;
  select: (id: string, selected: boolean) => void;
  resend: ReturnType<typeof useResend>['mutateAsync'];
}

/** One delivery: event, status and, when expanded, its request and attempts. */
export const DeliveryRow = memo(({ delivery, url, active, selected, select, resend }: DeliveryRowProps) => {
  const [open, setOpen] = useState(false);
  const details = useId();
  const resendDelivery = async () => {
    await resend({ params: { id: delivery.id } });
    toast('Delivery queued.');
  };
  const { status, type, createdAt, nextAttemptAt, attempts } = delivery;
  const last = attempts.at(-1);
  return (
    <div className="row">
      <div className="row-line">
        <div className="row-side">
          <input
            type="checkbox"
            className="row-checkbox"
            aria-label={`Select ${type}, ${delivery.id}`}
            checked={selected}
            disabled={!active}
            onChange={({ currentTarget }) => select(delivery.id, currentTarget.checked)}
          />
          <DeliveryStatus delivery={delivery} />
          <span className="row-title">{type}</span>
          <span className="row-detail">
            <TimeAgo at={createdAt} />
            {last && ` · ${describeOutcome(last)}`}
            {status === 'PENDING' && nextAttemptAt && attempts.length > 0 && (
              <>
                {' '}
                · next attempt <TimeAgo at={nextAttemptAt} due="due now" />
              </>
            )}
          </span>
        </div>
        <div className="row-side">
          <RowButton
            size="xs"
            aria-expanded={open}
            {...(open ? { 'aria-controls': details } : {})}
            onClick={() => setOpen(!open)}
          >
            Details ({attempts.length} {attempts.length === 1 ? 'attempt' : 'attempts'})
          </RowButton>
          <ActionButton size="xs" action={resendDelivery} disabled={!active}>
            Replay
          </ActionButton>
        </div>
      </div>
      {open && (
        <Stack gap="sm" mt="xs" id={details}>
          <Text size="xs" c="dimmed" className="break">
            Event <code>{delivery.eventId}</code>
          </Text>
          <Group justify="space-between" gap="xs">
            <Text size="sm" fw={600}>
              Request
            </Text>
            <CopyButton value={toCurl(url, delivery)}>
              {({ copied, copy }) => (
                <Button size="compact-sm" variant="default" onClick={copy}>
                  <span aria-live="polite">{copied ? 'Copied' : 'Copy as curl'}</span>
                </Button>
              )}
            </CopyButton>
          </Group>
          <Plain text={requestHeaders(url, delivery)} />
          <Plain text={formatJson(delivery.body)} />
          {attempts.length > 0 && (
            <Text size="sm" fw={600}>
              {attempts.length === 1 ? 'Response' : 'Responses'}
            </Text>
          )}
          {attempts.map((attempt) => (
            <AttemptResponse key={attempt.id} attempt={attempt} />
          ))}
        </Stack>
      )}
    </div>
  );
});

/** The status of a delivery. A delivery that was skipped after failed attempts is shown as failed. */
const DeliveryStatus = ({ delivery: { status, attempts } }: { delivery: Delivery }) =>
  status === 'SKIPPED' && attempts.length > 0 ? (
    <Status value="FAILED" label="Failed, endpoint disabled" />
  ) : (
    <Status value={status} />
  );

/** Indents JSON. Returns other text unchanged. */
function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Text of a request or response, which is never rendered as HTML. */
const Plain = ({ text }: { text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
  <pre className="log" tabIndex={0} style={{ maxHeight: '12rem' }}>
    {text}
  </pre>
);

type DeliveryAttempt = Delivery['attempts'][number];

/** Labels of the outcomes without a response. */
const OUTCOME_LABELS: Partial<Record<DeliveryAttempt['outcome'], string>> = {
  TIMEOUT: 'Timed out',
  REFUSED: 'Connection refused',
  RESET: 'Connection reset',
  UNREACHABLE: 'Host unreachable',
  DNS: 'Name not found in DNS',
  TLS: 'TLS error',
  BLOCKED_ADDRESS: 'Address not public',
};

const describeOutcome = ({ outcome, responseStatus }: DeliveryAttempt): string =>
  responseStatus === null ? (OUTCOME_LABELS[outcome] ?? toLabel(outcome)) : `HTTP ${responseStatus}`;

const TIMINGS = { dnsMs: 'DNS', connectMs: 'connection', tlsMs: 'TLS', firstByteMs: 'first byte' } as const;
const TIMING_PARTS = ['dnsMs', 'connectMs', 'tlsMs', 'firstByteMs'] as const;

/** The phases of an attempt's duration. */
function Timing({ timing }: { timing: NonNullable<DeliveryAttempt['timing']> }) {
  const parts = TIMING_PARTS.flatMap((part) => {
    const ms = timing[part];
    return ms === null ? [] : [`${TIMINGS[part]} ${ms} ms`];
  });
  return (
    <Text size="xs" c="dimmed">
      {parts.join(' · ')}
    </Text>
  );
}

/** One attempt with the response. */
const AttemptResponse = ({ attempt }: { attempt: DeliveryAttempt }) => (
  <div>
    <Text size="sm">
      <TimeAgo at={attempt.at} /> · {describeOutcome(attempt)} · {attempt.durationMs} ms
    </Text>
    <Text size="xs" c="dimmed" className="break">
      X-Service-Delivery <code>{attempt.id}</code>
    </Text>
    {attempt.timing && <Timing timing={attempt.timing} />}
    {attempt.responseHeaders && attempt.responseHeaders.length > 0 && (
      <Plain text={attempt.responseHeaders.map(({ name, value }) => `${name}: ${value}`).join('\n')} />
    )}
    {attempt.responseBody !== '' && <Plain text={attempt.responseBody} />}
  </div>
);
