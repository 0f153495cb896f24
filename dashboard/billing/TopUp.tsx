import { createTopUp } from '../../contract/billing/top-ups.ts';
import { FormBox } from '../form/FormBox.tsx';
import { TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { moneyOf } from '../ui/money.ts';
import { useTopUp } from './api.ts';

const toBody = ({ amount }: { amount: string }) => ({ amount: moneyOf(amount) });

/** Starts a card payment, and leaves for the payment processor's page; from there the browser comes back. */
export function TopUp() {
  const form = useForm(createTopUp.body, { amount: '500.00' }, toBody, 'top-up');
  const topUp = useTopUp();
  const act = async () => {
    const { data } = await topUp.mutateAsync({ body: toBody(form.values) });
    location.assign(data.paymentUrl);
  };
  return (
    <FormBox form={form} label="Top up by card" act={act}>
      <TextField of={form.field('amount')} label="Amount in rand" inputMode="decimal" required />
    </FormBox>
  );
}
