import { useState } from 'react';
import { updateKey } from '../../contract/accounts/api-keys.ts';
import { FormBox } from '../form/FormBox.tsx';
import { TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { RowButton } from '../ui/RowButton.tsx';
import { toast } from '../ui/toast.ts';
import { AI_BUDGET_FIELD, toAiBudget } from './ai-budget.ts';
import { type ApiKey, useUpdateApiKey } from './api.ts';

/** Button and dialog that change the name of a key and its budget for AI credits. */
export function EditApiKey({ apiKey }: { apiKey: ApiKey }) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <RowButton size="xs" onClick={() => setOpen(true)} aria-label={`Edit ${apiKey.name}`}>
        Edit
      </RowButton>
      <Dialog opened={open} onClose={close} title="Edit the API key">
        <EditForm apiKey={apiKey} close={close} />
      </Dialog>
    </>
  );
}

interface Values {
  name: string;
  aiBudget: string;
}
const toBody = ({ name, aiBudget }: Values) => ({ name, aiBudget: toAiBudget(aiBudget) });

function EditForm({ apiKey: { id, name, aiBudget }, close }: { apiKey: ApiKey; close: () => void }) {
  const form = useForm(updateKey.body, { name, aiBudget: aiBudget ?? '' }, toBody, `key ${id}`);
  const update = useUpdateApiKey();
  const submit = async () => {
    await update.mutateAsync({ params: { id }, body: toBody(form.values) });
    toast('Key saved.');
  };
  return (
    <FormBox form={form} label="Save key" onSubmit={submit} onDone={close}>
      <TextField field={form.field('name')} label="Name" required autoFocus />
      <TextField field={form.field('aiBudget')} {...AI_BUDGET_FIELD} />
    </FormBox>
  );
}
