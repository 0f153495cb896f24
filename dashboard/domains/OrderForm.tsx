import { SimpleGrid, Text } from '@mantine/core';
import { useLocation } from 'wouter';
import type { getMe } from '../../contract/accounts/me.ts';
import { orderDomain } from '../../contract/registrar/orders.ts';
import type { Output } from '../../contract/route.ts';
import { FormBox } from '../form/FormBox.tsx';
import { ChoiceField, LongField, TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { rand } from '../ui/money.ts';
import { tell } from '../ui/toast.ts';
import { useOrderDomain } from './api.ts';
import { orderOf, startOf } from './order.ts';

interface OrderFormProps {
  name: string;
  /** Rand a year, without VAT; undefined where the registry names none. */
  price: number | undefined;
  account: Output<typeof getMe>['data']['account'];
}

const YEARS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'] as const;
const VAT = 1.15;

/** For how long, for whom, and what it costs. */
export function OrderForm({ name, price, account }: OrderFormProps) {
  const form = useForm(orderDomain.body, startOf(account), (values) => orderOf(name, values), `order ${name}`);
  const order = useOrderDomain();
  const [, navigate] = useLocation();
  const { field, values } = form;
  const total = price === undefined ? undefined : price * Number(values.years) * VAT;
  const act = async () => {
    const { data } = await order.mutateAsync({ body: orderOf(name, values) });
    const { number, status, amount } = data.invoice;
    if (status === 'PAID') tell(`${number} over ${rand(amount)} is paid; ${name} is being registered.`);
    else tell(`${number} over ${rand(amount)} waits to be paid: ${name} is held for 24 hours.`);
    navigate(status === 'PAID' ? '/domains' : `/billing/invoices/${data.invoice.id}`);
  };
  return (
    <FormBox form={form} label={total === undefined ? 'Order' : `Order for ${rand(total)}`} act={act}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <ChoiceField of={field('years')} label="Years" choices={YEARS} />
        <div />
        <TextField of={field('registrant.name')} label="Owner's name" required />
        <TextField of={field('registrant.email')} label="Owner's e-mail" required />
        <TextField
          of={field('registrant.contactNumber')}
          label="Phone"
          placeholder="+27.215551234"
          description="+, country code, dot, number"
          required
        />
        <TextField of={field('registrant.address1')} label="Street and number" required />
        <TextField of={field('registrant.city')} label="City" required />
        <TextField of={field('registrant.province')} label="Province" required />
        <TextField of={field('registrant.postalCode')} label="Postal code" required />
        <TextField of={field('registrant.country')} label="Country" description="Two letters, e.g. ZA" required />
      </SimpleGrid>
      <LongField
        of={field('nameservers')}
        label="Name servers"
        description="One per line, 2 to 5; none: ours, so that records are managed here"
      />
      <Text size="sm" c="dimmed">
        {total !== undefined && `${rand(total)} including VAT is paid from your wallet. `}The owner's details are
        registered with the domain; they must be true.
      </Text>
    </FormBox>
  );
}
