import { setAutoTopUp } from '../awaiting.ts';
import { FormBox } from '../form/FormBox.tsx';
import { SwitchField, TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { moneyOf } from '../ui/money.ts';
import { tell } from '../ui/tell.ts';
import { useSetAutoTopUp, type Wallet } from './api.ts';

const START = { enabled: false, threshold: '50.00', amount: '200.00' };
const toBody = ({ enabled, threshold, amount }: typeof START) => ({
  ...{ enabled, threshold: moneyOf(threshold), amount: moneyOf(amount) },
});

/** Charges the card of the last top-up when the balance gets low. */
export function AutoTopUp({ wallet }: { wallet: Wallet }) {
  const form = useForm(setAutoTopUp.body, { ...START, enabled: wallet.autoTopUpEnabled }, toBody);
  const save = useSetAutoTopUp();
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
        </>
      )}
    </FormBox>
  );
}
