import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { putProviderKey } from '../../contract/ai/management.ts';
import { FormBox } from '../form/FormBox.tsx';
import { SecretField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { ConfirmButton } from '../ui/ConfirmButton.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { toast } from '../ui/toast.ts';
import { type Provider, useDeleteProviderKey, useProviderKeys, useSaveProviderKey } from './api.ts';

/** The account's own keys for AI providers. */
export const ProviderKeys = () => (
  <Section
    title="Your own provider keys"
    description="With a saved key, every request to that provider uses it, and the provider bills you. All its models become available."
  >
    <QueryBoundary query={useProviderKeys()} lines={5}>
      {({ data }) => (
        <div className="card">
          {data.map((provider) => (
            <ProviderRow key={provider.id} provider={provider} />
          ))}
        </div>
      )}
    </QueryBoundary>
  </Section>
);

function ProviderRow({ provider }: { provider: Provider }) {
  const remove = useDeleteProviderKey();
  const [open, setOpen] = useState(false);
  const { id, name, saved, lastFour } = provider;
  const removeKey = async () => {
    await remove.mutateAsync({ params: { id } });
    toast(`The key for ${name} was removed.`);
  };
  return (
    <Group className="row" justify="space-between" gap="sm">
      <div>
        <Text fw={600}>{name}</Text>
        <Text size="sm" c="dimmed">
          {saved ? `Your key, ending in ${lastFour}` : 'Billed to credits'}
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
          <ConfirmButton label="Remove" size="xs" question={`Remove your key for ${name}?`} onConfirm={removeKey}>
            Requests to {name} are billed from your credits again.
          </ConfirmButton>
        )}
      </Group>
      <Dialog opened={open} onClose={() => setOpen(false)} title={`Your key for ${name}`}>
        <KeyForm provider={provider} close={() => setOpen(false)} />
      </Dialog>
    </Group>
  );
}

function KeyForm({ provider: { id, name }, close }: { provider: Provider; close: () => void }) {
  const form = useForm(putProviderKey.body, { key: '' });
  const put = useSaveProviderKey();
  const saveKey = async () => {
    await put.mutateAsync({ params: { id }, body: form.values });
    toast(`The key for ${name} was saved.`);
  };
  return (
    <FormBox form={form} label="Save key" onSubmit={saveKey} onDone={close}>
      <SecretField
        field={form.field('key')}
        label="Key"
        description="Stored encrypted; only its last four characters are shown."
        required
        autoFocus
      />
    </FormBox>
  );
}
