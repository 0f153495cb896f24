import { Button, Group, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { putProviderKey } from '../../contract/ai/management.ts';
import { FormBox } from '../form/FormBox.tsx';
import { SecretField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { Confirm } from '../ui/ConfirmButton.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { tell } from '../ui/toast.ts';
import { type Provider, useDeleteProvider, useProviders, usePutProvider } from './api.ts';

/** The account's own keys at the AI providers. */
export const Providers = () => (
  <Section
    title="Your own provider keys"
    about="With a saved key every request to that provider uses it, with all the models it offers, and the provider bills you."
  >
    <Loaded query={useProviders()} lines={5}>
      {({ data }) => (
        <div className="card">
          {data.map((provider) => (
            <Row key={provider.id} provider={provider} />
          ))}
        </div>
      )}
    </Loaded>
  </Section>
);

function Row({ provider }: { provider: Provider }) {
  const remove = useDeleteProvider();
  const [open, setOpen] = useState(false);
  const { id, name, saved, lastFour } = provider;
  const act = async () => {
    await remove.mutateAsync({ params: { id } });
    tell(`The key for ${name} was removed.`);
  };
  return (
    <Group className="row" justify="space-between" gap="sm">
      <div>
        <Text fw={600}>{name}</Text>
        <Text size="sm" c="dimmed">
          {saved ? `your key, ending in ${lastFour}` : 'on credits'}
        </Text>
      </div>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          onClick={() => setOpen(true)}
          aria-label={`${saved ? 'Replace' : 'Save'} key for ${name}`}
        >
          {saved ? 'Replace key' : 'Save key'}
        </Button>
        {saved && (
          <Confirm label="Remove" size="xs" question={`Remove your key for ${name}?`} act={act}>
            Requests to {name} are billed from your credits again.
          </Confirm>
        )}
      </Group>
      <Modal
        opened={open}
        onClose={() => setOpen(false)}
        title={`Your key for ${name}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <KeyForm provider={provider} close={() => setOpen(false)} />
      </Modal>
    </Group>
  );
}

function KeyForm({ provider: { id, name }, close }: { provider: Provider; close: () => void }) {
  const form = useForm(putProviderKey.body, { key: '' });
  const put = usePutProvider();
  const act = async () => {
    await put.mutateAsync({ params: { id }, body: form.values });
    tell(`The key for ${name} was saved.`);
    close();
  };
  return (
    <FormBox form={form} label="Save key" act={act}>
      <SecretField
        of={form.field('key')}
        label="Key"
        description="Stored encrypted; only its last four characters are shown."
        required
        autoFocus
      />
    </FormBox>
  );
}
