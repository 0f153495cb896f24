import { Button, Group, Stack, Text } from '@mantine/core';
import { useId, useState } from 'react';
import { type Delivery, useResend } from '../developers/api.ts';
import { ActButton } from '../ui/ActionButton.tsx';
import { Status } from '../ui/Status.tsx';
import { When } from '../ui/TimeAgo.tsx';
import { tell } from '../ui/toast.ts';

/** One delivery: its event, how it stands, and its attempts when opened. */
export function DeliveryRow({ delivery, active }: { delivery: Delivery; active: boolean }) {
  const [open, setOpen] = useState(false);
  const details = useId();
  const resend = useResend();
  const act = async () => {
    await resend.mutateAsync({ params: { id: delivery.id } });
    tell('It is sent again.');
  };
  const { status, type, createdAt, nextAttemptAt, attempts } = delivery;
  const last = attempts.at(-1);
  return (
    <Stack className="row" gap="xs">
      <Group justify="space-between" gap="xs">
        <Group gap="sm">
          <Status of={status} />
          <Text fw={600}>{type}</Text>
          <Text size="sm" c="dimmed">
            <When at={createdAt} />
            {last && ` · ${outcomeOf(last)}`}
            {status === 'PENDING' && nextAttemptAt && attempts.length > 0 && (
              <>
                {' '}
                · next attempt <When at={nextAttemptAt} />
              </>
            )}
          </Text>
        </Group>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            aria-expanded={open}
            {...(open ? { 'aria-controls': details } : {})}
            onClick={() => setOpen(!open)}
          >
            {`${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}`}
          </Button>
          <ActButton size="xs" act={act} disabled={!active}>
            Resend
          </ActButton>
        </Group>
      </Group>
      {open && (
        <Stack gap="sm" id={details}>
          <Text size="xs" c="dimmed" className="break">
            Event <code>{delivery.eventId}</code>
          </Text>
          {attempts.map((attempt) => (
            <Attempt key={attempt.id} attempt={attempt} />
          ))}
        </Stack>
      )}
    </Stack>
  );
}

type AttemptMade = Delivery['attempts'][number];

const outcomeOf = ({ outcome, responseStatus }: AttemptMade): string =>
  responseStatus === null ? outcome.toLowerCase().replaceAll('_', ' ') : `answered ${responseStatus}`;

/** What the receiver said, as text: whatever it sent is shown, never run. */
const Attempt = ({ attempt }: { attempt: AttemptMade }) => (
  <div>
    <Text size="sm">
      <When at={attempt.at} /> · {outcomeOf(attempt)} · {attempt.durationMs} ms
    </Text>
    {attempt.responseBody !== '' && (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      <pre className="log" tabIndex={0} style={{ maxHeight: '12rem' }}>
        {attempt.responseBody}
      </pre>
    )}
  </div>
);
