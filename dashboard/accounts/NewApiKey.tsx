import { Button, Checkbox, Modal, Stack } from '@mantine/core';
import { useState } from 'react';
import { createKey } from '../../contract/accounts/api-keys.ts';
import { SCOPES, type Scope } from '../../contract/route.ts';
import { useCreateKey } from '../developers/api.ts';
import { FormBox } from '../form/FormBox.tsx';
import { ChoiceField, LongField, TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { ShownOnce } from '../ui/OneTimeSecret.tsx';

const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  read: 'read everything',
  write: 'change applications, variables, webhooks',
  deploy: 'start deployments',
  domains: 'order domains, change DNS records',
  ai: 'call AI models',
};
const LIFETIMES = { never: 'Never', '30': 'In 30 days', '90': 'In 90 days', '365': 'In a year' } as const;
const DAY = 86_400_000;

const START = { name: '', scopes: ['read'] as Scope[], expires: 'never' as keyof typeof LIFETIMES, allowedOrigins: '' };

const toBody = ({ name, scopes, expires, allowedOrigins: origins }: typeof START) => ({
  name,
  scopes,
  ...(expires === 'never' ? {} : { expiresAt: new Date(Date.now() + Number(expires) * DAY).toISOString() }),
  ...(origins.trim() === '' ? {} : { allowedOrigins: origins.trim().split(/[\s,]+/) }),
});

/** Creates a key; its secret is shown once. */
export function NewKey() {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Create key</Button>
      <Modal opened={open} onClose={close} title="Create an API key" closeButtonProps={{ 'aria-label': 'Close' }}>
        <KeyForm close={close} />
      </Modal>
    </>
  );
}

function KeyForm({ close }: { close: () => void }) {
  const form = useForm(createKey.body, START, toBody, 'new-key');
  const create = useCreateKey();
  const { field, values } = form;
  const made = create.data?.data;
  if (made) {
    return (
      <ShownOnce
        secrets={[
          { name: 'Secret key', text: made.secretKey },
          { name: 'Public key', text: made.publicKey },
        ]}
        close={close}
      >
        Keep the secret key where your program finds it: it is not shown again.
      </ShownOnce>
    );
  }
  return (
    <FormBox form={form} label="Create key" act={() => create.mutateAsync({ body: toBody(values) })}>
      <TextField of={field('name')} label="Name" description="What will use it" required autoFocus />
      <Checkbox.Group
        label="Scopes"
        description="What it may do"
        value={values.scopes}
        onChange={(scopes) => form.set({ scopes: SCOPES.filter((scope) => scopes.includes(scope)) })}
        error={form.errors.scopes}
        required
      >
        <Stack gap={6} mt="xs">
          {SCOPES.map((scope) => (
            <Checkbox key={scope} value={scope} label={`${scope}: ${SCOPE_WORDS[scope]}`} />
          ))}
        </Stack>
      </Checkbox.Group>
      <ChoiceField
        of={field('expires')}
        label="Expires"
        choices={['never', '30', '90', '365'] as const}
        names={LIFETIMES}
      />
      <LongField
        of={field('allowedOrigins')}
        label="Origins for the public key"
        description="One per line, e.g. https://shop.example.com; none: any"
      />
    </FormBox>
  );
}
