import { useState } from 'react';
import { FormBox } from '../form/FormBox.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { RowButton } from '../ui/RowButton.tsx';
import { toast } from '../ui/toast.ts';
import { type DnsRecord, useReplaceRecord } from './api.ts';
import { RecordFields, toBody, useRecordForm } from './record-form.tsx';

interface EditRecordProps {
  id: string;
  domain: string;
  record: DnsRecord;
  /** Name for screen readers: the record's type and full name. */
  name: string;
}

/** Button and dialog that edit a DNS record. */
export function EditRecord({ name, ...props }: EditRecordProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <RowButton size="compact-xs" aria-label={`Edit ${name}`} onClick={() => setOpen(true)}>
        Edit
      </RowButton>
      <Dialog opened={open} onClose={close} title={`Edit ${name}`}>
        <EditForm {...props} close={close} />
      </Dialog>
    </>
  );
}

function EditForm({ id, domain, record, close }: Omit<EditRecordProps, 'name'> & { close: () => void }) {
  const form = useRecordForm(id, record);
  const replace = useReplaceRecord();
  const submit = async () => {
    await replace.mutateAsync({ params: { id, recordId: record.id }, body: toBody(form.values) });
    toast('Record saved.');
  };
  return (
    <FormBox form={form} label="Save record" onSubmit={submit} onDone={close}>
      <RecordFields form={form} domain={domain} />
    </FormBox>
  );
}
