import { useSearch } from 'wouter';
import { createTopUp } from '../../contract/billing/top-ups.ts';
import { FormBox } from '../form/FormBox.tsx';
import { TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { parseMoney } from '../ui/money.ts';
import { useOpenAfter } from '../ui/use-open-after.ts';
import { useTopUp } from './api.ts';
import { keepPurchase } from './purchase.ts';

const toBody = ({ amount }: { amount: string }) => ({ amount: parseMoney(amount) });

/** Returns the amount that a link asks for (the missing amount, or that of an earlier attempt), or a default. */
const amountOf = (requested: string | null): string =>
  requested !== null && /^\d+\.\d\d$/.test(requested) ? Math.max(1, Number(requested)).toFixed(2) : '500.00';

/** Form that starts a card payment and opens the payment provider's page, which returns here. */
export function TopUp() {
  const search = new URLSearchParams(useSearch());
  const amount = search.get('amount');
  // The amount of a link takes precedence over a draft.
  const form = useForm(createTopUp.body, { amount: amountOf(amount) }, toBody, amount === null ? 'top-up' : undefined);
  const topUp = useTopUp();
  const openAfter = useOpenAfter();
  const submit = async () => {
    const { data } = await topUp.mutateAsync({ body: toBody(form.values) });
    // After a return from the provider's page, also with a declined card, the URL lacks the purchase: keep the stored one.
    if (!search.has('payment')) keepPurchase(search.get('from') ?? '');
    const unopened = 'You left before the payment page opened. Your card was not charged.';
    openAfter(data.paymentUrl, unopened, (url) => location.assign(url));
  };
  return (
    <FormBox form={form} label="Top up by card" onSubmit={submit}>
      <TextField field={form.field('amount')} label="Amount in rand" inputMode="decimal" required />
    </FormBox>
  );
}
