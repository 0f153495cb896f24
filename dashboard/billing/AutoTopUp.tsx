import { Text } from '@mantine/core';
import { AUTO_TOP_UP_LIMITS } from '../../contract/billing/card-payments.ts';
import { setAutoTopUp } from '../../contract/billing/top-ups.ts';
import { FormBox } from '../form/FormBox.tsx';
import { SwitchField, TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { parseMoney } from '../ui/money.ts';
import { toast } from '../ui/toast.ts';
import { type AutoTopUpSettings, useSetAutoTopUp } from './api.ts';

/** Returns the initial values: the saved settings, or suggestions. */
const initialValues = ({ enabled, threshold, amount }: AutoTopUpSettings) =>
  Number(amount) === 0 ? { enabled, threshold: '50.00', amount: '200.00' } : { enabled, threshold, amount };

/** Returns the request body. While auto top-up is off, the amounts are hidden and neither sent nor validated; the saved ones stay. */
const toBody = ({ enabled, threshold, amount }: ReturnType<typeof initialValues>) =>
  enabled ? { enabled, threshold: parseMoney(threshold), amount: parseMoney(amount) } : { enabled };

/** Form for automatic top-ups from the saved card. */
export function AutoTopUp({ settings }: { settings: AutoTopUpSettings }) {
  const form = useForm(setAutoTopUp.body, initialValues(settings), toBody, 'auto-top-up');
  const save = useSetAutoTopUp();
  const { card } = settings;
  const isUnchanged = JSON.stringify(toBody(form.values)) === JSON.stringify(toBody(initialValues(settings)));
  const submit = async () => {
    await save.mutateAsync({ body: toBody(form.values) });
    toast(form.values.enabled ? 'Auto top-up is on.' : 'Auto top-up is off.');
  };
  return (
    <FormBox form={form} label="Save" onSubmit={submit} isUnchanged={isUnchanged}>
      <SwitchField
        field={form.field('enabled')}
        label="Auto top-up"
        description={`Charges the card from your last top-up when the balance is low, at most ${AUTO_TOP_UP_LIMITS.maxPerDay} times a day.`}
      />
      {form.values.enabled && (
        <>
          <TextField field={form.field('threshold')} label="When balance falls below (rand)" inputMode="decimal" />
          <TextField field={form.field('amount')} label="Top-up amount (rand)" inputMode="decimal" />
          <Text size="sm" c="dimmed">
            {card
              ? `Card: ${card.brand} ending in ${card.lastFour}.`
              : 'No card saved yet. Your next top-up saves one.'}
          </Text>
        </>
      )}
    </FormBox>
  );
}
