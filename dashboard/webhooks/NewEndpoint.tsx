import { Button } from '@mantine/core';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { FormBox } from '../form/FormBox.tsx';
import { useForm } from '../form/form.ts';
import { OneTimeSecret, SecretDialog } from '../ui/OneTimeSecret.tsx';
import { useUrlDialog } from '../ui/use-url-state.ts';
import { useCreateEndpoint } from './api.ts';
import { EndpointFields, type EndpointValues, toBody } from './endpoint-form.tsx';

const INITIAL_VALUES: EndpointValues = { url: '', description: '', events: [] };

/** Button and dialog that create an endpoint. Its signing secret is shown once. */
export function NewEndpoint() {
  const create = useCreateEndpoint();
  const [open, setOpen] = useUrlDialog('new-endpoint');
  const close = () => {
    setOpen(false);
    create.reset();
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>Add endpoint</Button>
      <SecretDialog request={create} opened={open} onClose={close} title="Add a webhook endpoint">
        <EndpointForm create={create} close={close} />
      </SecretDialog>
    </>
  );
}

function EndpointForm({ create, close }: { create: ReturnType<typeof useCreateEndpoint>; close: () => void }) {
  const form = useForm(createWebhook.body, INITIAL_VALUES, toBody, 'new-endpoint');
  if (create.data) {
    return (
      <OneTimeSecret secrets={[{ name: 'Signing secret', text: create.data.data.secret }]} close={close}>
        Use this secret to verify the signature of each delivery. Copy it now. You won't be able to see it again.
      </OneTimeSecret>
    );
  }
  return (
    <FormBox form={form} label="Add endpoint" onSubmit={() => create.mutateAsync({ body: toBody(form.values) })}>
      <EndpointFields form={form} />
    </FormBox>
  );
}
