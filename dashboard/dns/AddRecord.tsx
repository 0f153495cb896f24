import { FormBox } from '../form/FormBox.tsx';
import { toast } from '../ui/toast.ts';
import { useAddRecord } from './api.ts';
import { RecordFields, toBody, useRecordForm } from './record-form.tsx';

/** Form that adds a DNS record. */
export function AddRecord({ id, domain }: { id: string; domain: string }) {
  const form = useRecordForm(id);
  const add = useAddRecord();
  const submit = async () => {
    await add.mutateAsync({ params: { id }, body: toBody(form.values) });
    toast('Record added.');
    form.clearSent();
  };
  return (
    <FormBox form={form} label="Add record" onSubmit={submit}>
      <RecordFields form={form} domain={domain} />
    </FormBox>
  );
}
