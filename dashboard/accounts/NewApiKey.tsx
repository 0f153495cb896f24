import { Button, Checkbox, Stack } from '@mantine/core';
import { useState } from 'react';
import { createKey } from '../../contract/accounts/api-keys.ts';
import { SCOPES, type Scope } from '../../contract/route.ts';
import { FormBox } from '../form/FormBox.tsx';
import { SelectField, TextAreaField, TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { OneTimeSecret, SecretDialog } from '../ui/OneTimeSecret.tsx';
import { useUrlDialog } from '../ui/use-url-state.ts';
import { AI_BUDGET_FIELD, toAiBudget } from './ai-budget.ts';
import { useCreateApiKey } from './api.ts';

const SCOPE_LABELS: Readonly<Record<Scope, string>> = {
  read: 'read everything',
  write: 'change applications, variables, webhooks',
  deploy: 'start deployments',
  domains: 'order domains, change DNS records',
  ai: 'call AI models',
};
const LIFETIMES = { never: 'Never', '30': 'In 30 days', '90': 'In 90 days', '365': 'In a year' } as const;
const DAY_MS = 86_400_000;

const INITIAL_VALUES = {
  name: '',
  scopes: ['read'] as Scope[],
  expires: 'never' as keyof typeof LIFETIMES,
  allowedOrigins: '',
  aiBudget: '',
};

/** @param from time from which the lifetime of the key counts, in milliseconds since the epoch */
const toBody = ({ name, scopes, expires, allowedOrigins: origins, aiBudget }: typeof INITIAL_VALUES, from: number) => ({
  name,
  scopes,
  aiBudget: scopes.includes('ai') ? toAiBudget(aiBudget) : null,
  ...(expires === 'never' ? {} : { expiresAt: new Date(from + Number(expires) * DAY_MS).toISOString() }),
  ...(origins.trim() === '' ? {} : { allowedOrigins: origins.trim().split(/[\s,]+/) }),
});

/** Button and dialog that create a key. Its secret is shown once. */
export function NewApiKey() {
  const create = useCreateApiKey();
  const [open, setOpen] = useUrlDialog('new-key');
  const close = () => {
    setOpen(false);
    create.reset();
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>Create key</Button>
      <SecretDialog request={create} opened={open} onClose={close} title="Create an API key">
        <ApiKeyForm create={create} close={close} />
      </SecretDialog>
    </>
  );
}

function ApiKeyForm({ create, close }: { create: ReturnType<typeof useCreateApiKey>; close: () => void }) {
  // Constant across attempts, so that a retry after a lost response has the same idempotency key and creates no second key.
  const [openedAt] = useState(Date.now);
  const form = useForm(createKey.body, INITIAL_VALUES, (values) => toBody(values, openedAt), 'new-key');
  const { field, values } = form;
  const created = create.data?.data;
  if (created) {
    return (
      <OneTimeSecret
        secrets={[
          { name: 'Secret key', text: created.secretKey },
          { name: 'Public key', text: created.publicKey },
        ]}
        close={close}
      >
        Copy the secret key now. You won't be able to see it again.
      </OneTimeSecret>
    );
  }
  return (
    <FormBox form={form} label="Create key" onSubmit={() => create.mutateAsync({ body: toBody(values, openedAt) })}>
      <TextField field={field('name')} label="Name" description="For example CI" required autoFocus />
      <Checkbox.Group
        label="Scopes"
        description="Permissions of the secret key"
        value={values.scopes}
        onChange={(scopes) => form.setValues({ scopes: SCOPES.filter((scope) => scopes.includes(scope)) })}
        error={form.errors.scopes}
        required
      >
        <Stack gap={6} mt="xs">
          {SCOPES.map((scope) => (
            <Checkbox key={scope} value={scope} label={`${scope}: ${SCOPE_LABELS[scope]}`} />
          ))}
        </Stack>
      </Checkbox.Group>
      <SelectField
        field={field('expires')}
        label="Expires"
        options={['never', '30', '90', '365'] as const}
        optionLabels={LIFETIMES}
      />
      {values.scopes.includes('ai') && <TextField field={field('aiBudget')} {...AI_BUDGET_FIELD} />}
      <TextAreaField
        field={field('allowedOrigins')}
        label="Origins for the public key"
        description="One per line, for example https://shop.example.com. Leave empty to allow any origin."
      />
    </FormBox>
  );
}
