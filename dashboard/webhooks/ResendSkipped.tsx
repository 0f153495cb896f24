import { Button, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { resendSkipped } from '../../contract/webhooks/management.ts';
import { useResendSkipped } from '../developers/api.ts';
import { FormBox } from '../form/FormBox.tsx';
import { TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { tell } from '../ui/toast.ts';

interface ResendSkippedProps {
  id: string;
  /** When the first delivery that is known to be skipped was to be sent. */
  since: string;
}

/** Sends again what was skipped while the endpoint was disabled, from a moment on. */
export function ResendSkipped(props: ResendSkippedProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Send skipped ones again
      </Button>
      <Modal
        opened={open}
        onClose={close}
        title="Send again what was skipped"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <SinceForm {...props} close={close} />
      </Modal>
    </>
  );
}

/** As the browser's field for a moment has it: in the time of the place where it is, without seconds. */
function localOf(at: string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** What was typed as the contract's time; what is none stays as it is, to be refused. */
function toBody({ since }: { since: string }) {
  const date = new Date(since);
  return { since: Number.isNaN(date.getTime()) ? since : date.toISOString() };
}

function SinceForm({ id, since, close }: ResendSkippedProps & { close: () => void }) {
  const form = useForm(resendSkipped.body, { since: localOf(since) }, toBody);
  const resend = useResendSkipped();
  const act = async () => {
    const { data } = await resend.mutateAsync({ params: { id }, body: toBody(form.values) });
    const more = data.remaining ? ' There are more: send again for the rest.' : '';
    tell(`${data.resent} ${data.resent === 1 ? 'delivery is' : 'deliveries are'} sent again.${more}`);
    close();
  };
  return (
    <FormBox form={form} label="Send again" act={act}>
      <TextField of={form.field('since')} label="Since" type="datetime-local" required autoFocus />
      <Text size="sm" c="dimmed">
        Everything that the endpoint has missed from then on, as the same events: receivers know repeats by their id.
      </Text>
    </FormBox>
  );
}
