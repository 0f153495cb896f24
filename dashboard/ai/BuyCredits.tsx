import { Text } from '@mantine/core';
import { buyAiCredits } from '../../contract/ai/management.ts';
import { FormBox } from '../form/FormBox.tsx';
import { TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { formatRand, parseMoney } from '../ui/money.ts';
import { toast } from '../ui/toast.ts';
import { useBuyCredits } from './api.ts';

const toBody = ({ amount }: { amount: string }) => ({ amount: parseMoney(amount) });

/** Form that buys credits from the wallet. */
export function BuyCredits() {
  const form = useForm(buyAiCredits.body, { amount: '100.00' }, toBody, 'credits');
  const buy = useBuyCredits();
  const submit = async () => {
    const body = toBody(form.values);
    await buy.mutateAsync({ body });
    toast(`${formatRand(body.amount)} in credits added.`);
  };
  return (
    <FormBox form={form} label="Buy credits" onSubmit={submit} right="pay">
      <TextField field={form.field('amount')} label="Amount in rand" inputMode="decimal" required />
      <Text size="xs" c="dimmed">
        Charged to your wallet, including VAT.
      </Text>
    </FormBox>
  );
}
