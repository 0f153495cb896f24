import { Button, Checkbox, Text } from '@mantine/core';
import { useState } from 'react';
import { resendSkipped } from '../../contract/webhooks/management.ts';
import { FormBox } from '../form/FormBox.tsx';
import { TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { toast } from '../ui/toast.ts';
import { useReplay } from './api.ts';

interface ReplayProps {
  id: string;
  /** Creation time of the earliest listed delivery that failed or was skipped; without one, of the earliest listed delivery. */
  since: string;
  /** True if a listed delivery failed or was skipped. */
  hasMissed: boolean;
}

/** Replays failed and skipped deliveries, or all deliveries, since a given time. */
export function Replay(props: ReplayProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {props.hasMissed ? 'Replay failed and skipped' : 'Replay since'}
      </Button>
      <Dialog opened={open} onClose={close} title="Replay deliveries">
        <SinceForm {...props} close={close} />
      </Dialog>
    </>
  );
}

/** Converts to the value of a `datetime-local` input: local time without seconds. */
function toLocalInput(at: string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Converts the typed time to the contract's format. Invalid input is passed on unchanged, for validation. */
const toBody =
  (statuses: readonly ReplayedStatus[]) =>
  ({ since }: { since: string }) => {
    const date = new Date(since);
    return { since: Number.isNaN(date.getTime()) ? since : date.toISOString(), statuses: [...statuses] };
  };

type ReplayedStatus = 'SKIPPED' | 'FAILED' | 'DELIVERED';
const MISSED: readonly ReplayedStatus[] = ['SKIPPED', 'FAILED'];

function SinceForm({ id, since, hasMissed, close }: ReplayProps & { close: () => void }) {
  const [all, setAll] = useState(!hasMissed);
  const body = toBody(all ? [...MISSED, 'DELIVERED'] : MISSED);
  const form = useForm(resendSkipped.body, { since: toLocalInput(since) }, body);
  const replay = useReplay();
  const [queued, setQueued] = useState<number | undefined>();
  const submit = async () => {
    let count = 0;
    // A call queues at most 500 deliveries and returns the time from which the next call continues.
    for (let next: string | null = body(form.values).since; next !== null; ) {
      const { data } = await replay.mutateAsync({ params: { id }, body: { ...body(form.values), since: next } });
      count += data.resent;
      next = data.next;
      setQueued(count);
    }
    toast(`${count} ${count === 1 ? 'delivery' : 'deliveries'} queued.`);
  };
  return (
    <FormBox form={form} label="Replay" onSubmit={submit} onDone={close}>
      <TextField field={form.field('since')} label="Since" type="datetime-local" required autoFocus />
      <Checkbox
        label="Also those that were delivered"
        checked={all}
        onChange={({ currentTarget }) => setAll(currentTarget.checked)}
      />
      <Text size="sm" c="dimmed">
        Resends the events that the endpoint missed since this time. Event IDs stay the same, so that your endpoint can
        detect duplicates.
      </Text>
      {queued !== undefined && (
        <Text size="sm" role="status">
          {queued} queued…
        </Text>
      )}
    </FormBox>
  );
}
