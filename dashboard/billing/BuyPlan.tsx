import { Button, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { createSubscription } from '../../contract/billing/subscriptions.ts';
import { BILLING_CYCLES } from '../../contract/enums.ts';
import { FormBox } from '../form/FormBox.tsx';
import { ChoiceField, TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { rand } from '../ui/money.ts';
import { tell } from '../ui/toast.ts';
import { type Plan, useSubscribe } from './api.ts';

/** Buys a plan, after saying what it costs. */
export function BuyPlan({ plan }: { plan: Plan }) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpen(true)} aria-label={`Buy ${plan.name}`}>
        Buy
      </Button>
      <Modal opened={open} onClose={close} title={`Buy ${plan.name}`} closeButtonProps={{ 'aria-label': 'Close' }}>
        <BuyForm plan={plan} close={close} />
      </Modal>
    </>
  );
}

const CYCLE_WORDS = { MONTHLY: 'Monthly', YEARLY: 'Yearly' } as const;
const VAT = 1.15;

function BuyForm({ plan, close }: { plan: Plan; close: () => void }) {
  const hosts = plan.category !== 'APP';
  const start = { billingCycle: 'MONTHLY' as (typeof BILLING_CYCLES)[number], hostingDomain: '' };
  const toBody = ({ billingCycle, hostingDomain }: typeof start) => ({
    ...{ plan: plan.slug, billingCycle },
    ...(hosts ? { hostingDomain } : {}),
  });
  const form = useForm(createSubscription.body, start, toBody, `plan ${plan.slug}`);
  const subscribe = useSubscribe();
  const { billingCycle } = form.values;
  const price = Number(billingCycle === 'MONTHLY' ? plan.priceMonthly : plan.priceYearly) * VAT;
  const act = async () => {
    await subscribe.mutateAsync({ body: toBody(form.values) });
    tell(`${plan.name} is yours.`);
    close();
  };
  return (
    <FormBox form={form} label={`Buy for ${rand(price)}`} act={act}>
      <ChoiceField of={form.field('billingCycle')} label="Billed" choices={BILLING_CYCLES} names={CYCLE_WORDS} />
      {hosts && (
        <TextField of={form.field('hostingDomain')} label="Domain it is for" placeholder="example.co.za" required />
      )}
      <Text size="sm" c="dimmed">
        {rand(price)} including VAT is paid from your wallet now, and again for each period until you cancel.
      </Text>
    </FormBox>
  );
}
