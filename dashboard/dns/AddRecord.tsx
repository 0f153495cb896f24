import { SimpleGrid } from '@mantine/core';
import { addDnsRecord } from '../../contract/dns/records.ts';
import { DNS_TYPES } from '../../contract/enums.ts';
import { FormBox } from '../form/FormBox.tsx';
import { SelectField, TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { toast } from '../ui/toast.ts';
import { useAddRecord } from './api.ts';
import { toRelativeName } from './relative-name.ts';

type RecordType = (typeof DNS_TYPES)[number];

const INITIAL_VALUES = { type: 'A' as RecordType, name: '', content: '', ttl: '3600', prio: '10' };
const hasPriority = (type: RecordType): boolean => type === 'MX' || type === 'SRV';

/** Builds the request. Names are accepted in the notations of other providers: `@`, and with the domain. */
const toBody = (domain: string, { type, name, content, ttl, prio }: typeof INITIAL_VALUES) => ({
  ...{ type, name: toRelativeName(name, domain), content, ttl: Number(ttl) },
  ...(hasPriority(type) ? { prio: Number(prio) } : {}),
});

const EXAMPLES: Readonly<Record<RecordType, string>> = {
  A: '192.0.2.10',
  AAAA: '2001:db8::10',
  CNAME: 'target.example.com',
  MX: 'mail.example.com',
  TXT: 'v=spf1 include:example.com -all',
  SRV: '5 5060 sip.example.com',
  CAA: '0 issue "letsencrypt.org"',
  NS: 'ns1.example.com',
};

/** Form that adds a DNS record. */
export function AddRecord({ id, domain }: { id: string; domain: string }) {
  const form = useForm(addDnsRecord.body, INITIAL_VALUES, (values) => toBody(domain, values), `record ${id}`);
  const add = useAddRecord();
  const { field, values } = form;
  const submit = async () => {
    await add.mutateAsync({ params: { id }, body: toBody(domain, values) });
    toast('Record added.');
    form.reset();
  };
  return (
    <FormBox form={form} label="Add record" onSubmit={submit}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <SelectField field={field('type')} label="Type" options={DNS_TYPES} />
        <TextField
          field={field('name')}
          label="Name"
          description={`For example www; leave empty or enter @ for ${domain} itself`}
        />
        <TextField field={field('content')} label="Content" placeholder={EXAMPLES[values.type]} required />
        <TextField field={field('ttl')} label="TTL" description="Seconds, 60 to 86400" />
        {hasPriority(values.type) && <TextField field={field('prio')} label="Priority" />}
      </SimpleGrid>
    </FormBox>
  );
}
