import { SimpleGrid } from '@mantine/core';
import { addDnsRecord } from '../../contract/dns/records.ts';
import { DNS_TYPES } from '../../contract/enums.ts';
import { SelectField, TextField } from '../form/fields.tsx';
import { type Form, useForm } from '../form/form.ts';
import type { DnsRecord } from './api.ts';

type RecordType = (typeof DNS_TYPES)[number];

const NEW_RECORD = { type: 'A' as RecordType, name: '', content: '', ttl: '3600', prio: '10' };
const hasPriority = (type: RecordType): boolean => type === 'MX' || type === 'SRV';

type RecordValues = typeof NEW_RECORD;

/** Builds the request body. `@` means the domain itself, as at other DNS providers. */
export const toBody = ({ type, name, content, ttl, prio }: RecordValues) => ({
  type,
  name: name.trim() === '@' ? '' : name,
  content,
  ttl: Number(ttl),
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

/** Returns the form for a stored record or a new one. */
export function useRecordForm(id: string, record?: DnsRecord): Form<RecordValues> {
  const values = record
    ? { ...record, type: record.type as RecordType, ttl: String(record.ttl), prio: String(record.prio) }
    : NEW_RECORD;
  const { type, name, content, ttl, prio } = values;
  const initialValues = { type, name, content, ttl, prio };
  return useForm(addDnsRecord.body, initialValues, toBody, `record ${record?.id ?? id}`);
}

/** Fields of a DNS record. */
export const RecordFields = ({ form: { field, values }, domain }: { form: Form<RecordValues>; domain: string }) => (
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
);
