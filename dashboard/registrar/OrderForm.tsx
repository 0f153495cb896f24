import { SimpleGrid, Text } from '@mantine/core';
import { COUNTRIES } from '../../contract/registrar/countries.ts';
import { orderDomain } from '../../contract/registrar/orders.ts';
import type { Account } from '../api/use-me.ts';
import { FormBox } from '../form/FormBox.tsx';
import { SelectField, TextAreaField, TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { addVat, formatRand } from '../ui/money.ts';
import { toast } from '../ui/toast.ts';
import { useOpenAfter } from '../ui/use-open-after.ts';
import { useOrderDomain } from './api.ts';
import { initialValues, toOrder } from './order.ts';

interface OrderFormProps {
  name: string;
  /** Price in rand per year, excluding VAT. */
  price: number;
  account: Account;
}

const regionNames = new Intl.DisplayNames(['en'], { type: 'region' });
const COUNTRY_NAMES = Object.fromEntries(COUNTRIES.map((code) => [code, regionNames.of(code) ?? code]));
const COUNTRY_CODES = COUNTRIES.toSorted((a, b) => (COUNTRY_NAMES[a] ?? a).localeCompare(COUNTRY_NAMES[b] ?? b));

const YEARS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'] as const;

/** Form that registers a domain: term, registrant and price. */
export function OrderForm({ name, price, account }: OrderFormProps) {
  const form = useForm(orderDomain.body, initialValues(account), (values) => toOrder(name, values), `order ${name}`);
  const order = useOrderDomain();
  const openAfter = useOpenAfter();
  const { field, values } = form;
  const total = addVat(price * Number(values.years));
  const submit = async () => {
    const { data } = await order.mutateAsync({ body: toOrder(name, values) });
    const { number, status, amount } = data.invoice;
    if (status === 'PAID') toast(`Invoice ${number} (${formatRand(amount)}) is paid. ${name} is being registered.`);
    else {
      const reason = data.unpaidReason === undefined ? '' : ` ${data.unpaidReason}`;
      toast(`Pay invoice ${number} (${formatRand(amount)}) within 24 hours to register ${name}.${reason}`);
    }
    openAfter(status === 'PAID' ? '/domains' : `/billing/invoices/${data.invoice.id}`);
  };
  return (
    <FormBox form={form} label={`Register for ${formatRand(total)}`} onSubmit={submit}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <SelectField field={field('years')} label="Years" options={YEARS} />
        <div />
        <TextField field={field('registrant.name')} label="Registrant name" required />
        <TextField field={field('registrant.email')} label="Registrant email" required />
        <TextField
          field={field('registrant.contactNumber')}
          label="Phone"
          placeholder="+27 21 555 1234"
          description="With the country code"
          required
        />
        <TextField field={field('registrant.address1')} label="Street and number" required />
        <TextField field={field('registrant.city')} label="City" required />
        <TextField field={field('registrant.province')} label="Province" required />
        <TextField field={field('registrant.postalCode')} label="Postal code" required />
        <SelectField
          field={field('registrant.country')}
          label="Country"
          options={COUNTRY_CODES}
          optionLabels={COUNTRY_NAMES}
          required
        />
      </SimpleGrid>
      <TextAreaField
        field={field('nameservers')}
        label="Name servers"
        description="One per line, 2 to 5. Leave empty to use our name servers."
      />
      <Text size="sm" c="dimmed">
        {formatRand(total)} including VAT is charged to your wallet. The registrant's details become part of the
        registration and must be accurate. The registrar (Amazon Registrar or Gandi) may email the registrant to confirm
        the address. Follow the link in that email, or the domain is suspended within 15 days.
      </Text>
    </FormBox>
  );
}
