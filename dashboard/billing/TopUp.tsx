import { createTopUp } from '../../contract/billing/top-ups.ts';
import { FormBox } from '../form/FormBox.tsx';
import { TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { parseMoney } from '../ui/money.ts';
import { useTopUp } from './api.ts';

const toBody = ({ amount }: { amount: string }) => ({ amount: parseMoney(amount) });

/** Form that starts a card payment and opens the payment provider's page, which returns here. */
export function TopUp() {
  const form = useForm(createTopUp.body, { amount: '500.00' }, toBody, 'top-up');
  const topUp = useTopUp();
  const submit = async () => {
    const { data } = await topUp.mutateAsync({ body: toBody(form.values) });
    location.assign(data.paymentUrl);
  };
  return (
    <FormBox form={form} label="Top up by card" onSubmit={submit}>
      <TextField field={form.field('amount')} label="Amount in rand" inputMode="decimal" required />
    </FormBox>
  );
}
