import { Text } from '@mantine/core';
import { setAutoTopUp } from '../../contract/billing/top-ups.ts';
import { FormBox } from '../form/FormBox.tsx';
import { SwitchField, TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { moneyOf } from '../ui/money.ts';
import { tell } from '../ui/toast.ts';
import { type AutoTopUpSettings, useSetAutoTopUp } from './api.ts';

/** What the form begins with: what was chosen, or something sensible where nothing was. */
const startOf = ({ enabled, threshold, amount }: AutoTopUpSettings) =>
  Number(amount) === 0 ? { enabled, threshold: '50.00', amount: '200.00' } : { enabled, threshold, amount };

const toBody = ({ enabled, threshold, amount }: ReturnType<typeof startOf>) => ({
  ...{ enabled, threshold: moneyOf(threshold), amount: moneyOf(amount) },
});

/** Charges the card of the last top-up when the balance gets low. */
export function AutoTopUp({ settings }: { settings: AutoTopUpSettings }) {
  const form = useForm(setAutoTopUp.body, startOf(settings), toBody, 'auto-top-up');
  const save = useSetAutoTopUp();
  const { card } = settings;
  const act = async () => {
    await save.mutateAsync({ body: toBody(form.values) });
    tell(form.values.enabled ? 'The wallet tops itself up.' : 'The wallet is topped up by hand.');
  };
  return (
    <FormBox form={form} label="Save" act={act}>
      <SwitchField
        of={form.field('enabled')}
        label="Top up automatically"
        description="Charges the card of your last top-up when the balance falls short."
      />
      {form.values.enabled && (
        <>
          <TextField of={form.field('threshold')} label="When it falls under (rand)" inputMode="decimal" />
          <TextField of={form.field('amount')} label="By (rand)" inputMode="decimal" />
          <Text size="sm" c="dimmed">
            {card
              ? `The card: ${card.brand}, ending in ${card.lastFour}.`
              : 'No card is known yet: it is kept with your next top-up.'}
          </Text>
        </>
      )}
    </FormBox>
  );
}
