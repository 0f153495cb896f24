import { Button, Checkbox, Modal, SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { FormBox } from '../form/FormBox.tsx';
import { TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { KEEP_OPEN, OneTimeSecret } from '../ui/OneTimeSecret.tsx';
import { useCreateEndpoint } from './api.ts';
import { EVENT_TYPES } from './event-types.ts';

const INITIAL_VALUES = { url: '', description: '', events: [] as string[] };
const toBody = ({ url, description, events }: typeof INITIAL_VALUES) => ({
  ...{ url, description },
  events: events.length === 0 ? ['*'] : events,
});

/** Button and dialog that create an endpoint. Its signing secret is shown once. */
export function NewEndpoint() {
  const [open, setOpen] = useState(false);
  const create = useCreateEndpoint();
  const close = () => {
    setOpen(false);
    create.reset();
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>Add endpoint</Button>
      <Modal
        opened={open}
        onClose={close}
        title="Add a webhook endpoint"
        closeButtonProps={{ 'aria-label': 'Close' }}
        {...(create.data ? KEEP_OPEN : {})}
      >
        <EndpointForm create={create} close={close} />
      </Modal>
    </>
  );
}

function EndpointForm({ create, close }: { create: ReturnType<typeof useCreateEndpoint>; close: () => void }) {
  const form = useForm(createWebhook.body, INITIAL_VALUES, toBody, 'new-endpoint');
  const { field, values } = form;
  if (create.data) {
    return (
      <OneTimeSecret secrets={[{ name: 'Signing secret', text: create.data.data.secret }]} close={close}>
        Use this secret to verify the signature of each delivery. Copy it now. You won't be able to see it again.
      </OneTimeSecret>
    );
  }
  return (
    <FormBox form={form} label="Add endpoint" onSubmit={() => create.mutateAsync({ body: toBody(values) })}>
      <TextField field={field('url')} label="URL" placeholder="https://example.com/hooks" required autoFocus />
      <TextField field={field('description')} label="Description" />
      <Checkbox.Group
        label="Events"
        description="Select none to receive all events"
        value={values.events}
        onChange={(events) => form.setValues({ events })}
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
