import { Button } from '@mantine/core';
import { useState } from 'react';
import { updateWebhook } from '../../contract/webhooks/management.ts';
import { FormBox } from '../form/FormBox.tsx';
import { useForm } from '../form/form.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { toast } from '../ui/toast.ts';
import { type Endpoint, useUpdateEndpoint } from './api.ts';
import { EndpointFields, toBody } from './endpoint-form.tsx';

/** Button and dialog that change the URL, description and events of an endpoint. */
export function EditEndpoint({ endpoint }: { endpoint: Endpoint }) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Edit
      </Button>
      <Dialog opened={open} onClose={close} title="Edit the endpoint">
        <EditForm endpoint={endpoint} close={close} />
      </Dialog>
    </>
  );
}

function EditForm({ endpoint, close }: { endpoint: Endpoint; close: () => void }) {
  const { id, url, description, events } = endpoint;
  const values = { url, description, events: events.filter((type) => type !== '*') };
  const form = useForm(updateWebhook.body, values, toBody, `endpoint ${id}`);
  const update = useUpdateEndpoint();
  const submit = async () => {
    await update.mutateAsync({ params: { id }, body: toBody(form.values) });
    toast('Endpoint saved.');
  };
  return (
    <FormBox form={form} label="Save endpoint" onSubmit={submit} onDone={close}>
      <EndpointFields form={form} />
    </FormBox>
  );
}
