import { Button, Checkbox, Modal, SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { useCreateEndpoint } from '../developers/api.ts';
import { EVENT_TYPES } from '../developers/event-types.ts';
import { FormBox } from '../form/FormBox.tsx';
import { TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { ShownOnce } from '../ui/OneTimeSecret.tsx';

const START = { url: '', description: '', events: [] as string[] };
const toBody = ({ url, description, events }: typeof START) => ({
  ...{ url, description },
  events: events.length === 0 ? ['*'] : events,
});

/** Registers an endpoint; its signing secret is shown once. */
export function NewEndpoint() {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Add endpoint</Button>
      <Modal opened={open} onClose={close} title="Add a webhook endpoint" closeButtonProps={{ 'aria-label': 'Close' }}>
        <EndpointForm close={close} />
      </Modal>
    </>
  );
}

function EndpointForm({ close }: { close: () => void }) {
  const form = useForm(createWebhook.body, START, toBody, 'new-endpoint');
  const create = useCreateEndpoint();
  const { field, values } = form;
  if (create.data) {
    return (
      <ShownOnce secrets={[{ name: 'Signing secret', text: create.data.data.secret }]} close={close}>
        Your receiver checks each delivery's signature with this secret: it is not shown again.
      </ShownOnce>
    );
  }
  return (
    <FormBox form={form} label="Add endpoint" act={() => create.mutateAsync({ body: toBody(values) })}>
      <TextField of={field('url')} label="Address" placeholder="https://example.com/hooks" required autoFocus />
      <TextField of={field('description')} label="Description" />
      <Checkbox.Group
        label="Events"
        description="None chosen: all of them"
        value={values.events}
        onChange={(events) => form.set({ events })}
        error={form.errors.events}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={6} mt="xs">
          {EVENT_TYPES.map((type) => (
            <Checkbox key={type} value={type} label={type} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
    </FormBox>
  );
}
