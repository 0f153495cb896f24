import { Alert, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { createSubscription } from '../../contract/billing/subscriptions.ts';
import { BILLING_CYCLES } from '../../contract/enums.ts';
import { useRefusal } from '../api/rights.ts';
import { FormBox } from '../form/FormBox.tsx';
import { SelectField, TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { addVat, formatRand } from '../ui/money.ts';
import { toast } from '../ui/toast.ts';
import { type Plan, useSubscribe } from './api.ts';

/**
 * Button and dialog that subscribe to a plan. The dialog shows the price.
 *
 * @param replaces name of the plan that this one replaces
 */
export function BuyPlan({ plan, replaces }: { plan: Plan; replaces: string | undefined }) {
  const [open, setOpen] = useState(false);
  const refusal = useRefusal('pay');
  const close = () => setOpen(false);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        onClick={() => setOpen(true)}
        aria-label={`Subscribe to ${plan.name}`}
        {...(refusal === undefined ? {} : { disabled: true, title: refusal })}
      >
        Subscribe
      </Button>
      <Dialog opened={open} onClose={close} title={`Subscribe to ${plan.name}`}>
        <BuyForm plan={plan} replaces={replaces} close={close} />
      </Dialog>
    </>
  );
}

const CYCLE_LABELS = { MONTHLY: 'Monthly', YEARLY: 'Yearly' } as const;

function BuyForm({ plan, replaces, close }: { plan: Plan; replaces: string | undefined; close: () => void }) {
  const needsDomain = plan.category !== 'APP';
  const start = { billingCycle: 'MONTHLY' as (typeof BILLING_CYCLES)[number], hostingDomain: '' };
  const toBody = ({ billingCycle, hostingDomain }: typeof start) => ({
    plan: plan.slug,
    billingCycle,
    ...(needsDomain ? { hostingDomain } : {}),
  });
  const form = useForm(createSubscription.body, start, toBody, `plan ${plan.slug}`);
  const subscribe = useSubscribe();
  const { billingCycle } = form.values;
  const price = addVat(billingCycle === 'MONTHLY' ? plan.priceMonthly : plan.priceYearly);
  const submit = async () => {
    await subscribe.mutateAsync({ body: toBody(form.values) });
    toast(`You're on ${plan.name}.`);
  };
  return (
    <FormBox form={form} label={`Subscribe for ${formatRand(price)}`} onSubmit={submit} onDone={close}>
      <SelectField
        field={form.field('billingCycle')}
        label="Billing cycle"
        options={BILLING_CYCLES}
        optionLabels={CYCLE_LABELS}
      />
      {needsDomain && (
        <TextField field={form.field('hostingDomain')} label="Domain" placeholder="example.co.za" required />
      )}
      {replaces && (
        <Alert variant="default">
          {plan.name === replaces ? 'A new period of the plan begins now.' : `${plan.name} replaces ${replaces} now.`}{' '}
          You pay the full price. The unused part of your paid period of {replaces} is not credited.
        </Alert>
      )}
      {needsDomain && (
        <Text size="sm" c="dimmed">
          To change the plan of a domain, cancel its subscription while it is paid, then order the new plan here. Files
          and mail are kept. The unused part of the paid period is not credited.{' '}
          {plan.category === 'EMAIL' && 'Web plans include email.'}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {formatRand(price)} including VAT is charged to your wallet now and on each renewal until you cancel.
      </Text>
    </FormBox>
  );
}
