import { Button, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { resendSkipped } from '../../contract/webhooks/management.ts';
import { FormBox } from '../form/FormBox.tsx';
import { TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { toast } from '../ui/toast.ts';
import { useReplay } from './api.ts';

interface ReplayProps {
  id: string;
  /** Creation time of the earliest delivery that is known to have failed or to be skipped. */
  since: string;
}

/** Replays the deliveries that failed, or were skipped while the endpoint was disabled, from a given time on. */
export function Replay(props: ReplayProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Replay failed and skipped
      </Button>
      <Modal
        opened={open}
        onClose={close}
        title="Replay failed and skipped deliveries"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <SinceForm {...props} close={close} />
      </Modal>
    </>
  );
}

/** Converts to the value of a `datetime-local` input: local time without seconds. */
function toLocalInput(at: string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Converts the typed time to the contract's format. Invalid input is passed on unchanged, for validation. */
function toBody({ since }: { since: string }) {
  const date = new Date(since);
  return {
    since: Number.isNaN(date.getTime()) ? since : date.toISOString(),
    statuses: ['SKIPPED' as const, 'FAILED' as const],
  };
}

function SinceForm({ id, since, close }: ReplayProps & { close: () => void }) {
  const form = useForm(resendSkipped.body, { since: toLocalInput(since) }, toBody);
  const replay = useReplay();
  const submit = async () => {
    const { data } = await replay.mutateAsync({ params: { id }, body: toBody(form.values) });
    const more = data.remaining ? ' There are more: replay again for the rest.' : '';
    toast(`${data.resent} ${data.resent === 1 ? 'delivery' : 'deliveries'} queued.${more}`);
    close();
  };
  return (
    <FormBox form={form} label="Replay" onSubmit={submit}>
      <TextField field={form.field('since')} label="Since" type="datetime-local" required autoFocus />
      <Text size="sm" c="dimmed">
        Sends every event again that the endpoint missed since then. Event ids stay the same, so that receivers detect
        duplicates.
      </Text>
    </FormBox>
  );
}
