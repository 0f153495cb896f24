import { SimpleGrid } from '@mantine/core';
import { addDnsRecord } from '../../contract/dns/records.ts';
import { DNS_TYPES } from '../../contract/enums.ts';
import { useAddRecord } from '../domains/api.ts';
import { FormBox } from '../form/FormBox.tsx';
import { ChoiceField, TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { tell } from '../ui/toast.ts';

type RecordType = (typeof DNS_TYPES)[number];

const START = { type: 'A' as RecordType, name: '', content: '', ttl: '3600', prio: '10' };
const hasPriority = (type: RecordType): boolean => type === 'MX' || type === 'SRV';

const toBody = ({ type, name, content, ttl, prio }: typeof START) => ({
  ...{ type, name, content, ttl: Number(ttl) },
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

/** Adds a record to a domain. */
export function AddRecord({ id, domain }: { id: string; domain: string }) {
  const form = useForm(addDnsRecord.body, START, toBody, `record ${id}`);
  const add = useAddRecord();
  const { field, values } = form;
  const act = async () => {
    await add.mutateAsync({ params: { id }, body: toBody(values) });
    tell('The record was added.');
    form.reset();
  };
  return (
    <FormBox form={form} label="Add record" act={act}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <ChoiceField of={field('type')} label="Type" choices={DNS_TYPES} />
        <TextField of={field('name')} label="Name" description={`Before .${domain}; empty for the domain itself`} />
        <TextField of={field('content')} label="Content" placeholder={EXAMPLES[values.type]} required />
        <TextField of={field('ttl')} label="TTL" description="Seconds, 60 to 86400" />
        {hasPriority(values.type) && <TextField of={field('prio')} label="Priority" />}
      </SimpleGrid>
    </FormBox>
  );
}
