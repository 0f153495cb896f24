import { Text } from '@mantine/core';
import { buyAiCredits } from '../../contract/ai/management.ts';
import { FormBox } from '../form/FormBox.tsx';
import { TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { moneyOf, rand } from '../ui/money.ts';
import { tell } from '../ui/toast.ts';
import { useBuyCredits } from './api.ts';

const toBody = ({ amount }: { amount: string }) => ({ amount: moneyOf(amount) });

/** Buys credits from the wallet. */
export function BuyCredits() {
  const form = useForm(buyAiCredits.body, { amount: '100.00' }, toBody, 'credits');
  const buy = useBuyCredits();
  const act = async () => {
    const body = toBody(form.values);
    await buy.mutateAsync({ body });
    tell(`${rand(body.amount)} of credits were added.`);
  };
  return (
    <FormBox form={form} label="Buy credits" act={act}>
      <TextField of={form.field('amount')} label="Amount in rand" inputMode="decimal" required />
      <Text size="xs" c="dimmed">
        Paid from your wallet; VAT is included.
      </Text>
    </FormBox>
  );
}
