import { useSearch } from 'wouter';
import { createTopUp } from '../../contract/billing/top-ups.ts';
import { FormBox } from '../form/FormBox.tsx';
import { TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { parseMoney } from '../ui/money.ts';
import { useTopUp } from './api.ts';
import { keepPurchase } from './purchase.ts';

const toBody = ({ amount }: { amount: string }) => ({ amount: parseMoney(amount) });

/** Returns the amount that a link asks for: what is missing, or what was tried before. */
const amountOf = (asked: string | null): string =>
  asked !== null && /^\d+\.\d\d$/.test(asked) ? Math.max(1, Number(asked)).toFixed(2) : '500.00';

/** Form that starts a card payment and opens the payment provider's page, which returns here. */
export function TopUp() {
  const asked = new URLSearchParams(useSearch());
  const amount = asked.get('amount');
  // What a link asks for goes before what was typed earlier.
  const form = useForm(createTopUp.body, { amount: amountOf(amount) }, toBody, amount === null ? 'top-up' : undefined);
  const topUp = useTopUp();
  const submit = async () => {
    const { data } = await topUp.mutateAsync({ body: toBody(form.values) });
    // The provider's page returns without the purchase, also after a declined card: then it still waits.
    if (!asked.has('payment')) keepPurchase(asked.get('from') ?? '');
    location.assign(data.paymentUrl);
  };
  return (
    <FormBox form={form} label="Top up by card" onSubmit={submit}>
      <TextField field={form.field('amount')} label="Amount in rand" inputMode="decimal" required />
    </FormBox>
  );
}
