import { type DnsRecord, useDeleteRecord } from '../domains/api.ts';
import { Confirm } from '../ui/ConfirmButton.tsx';
import { type Column, DataTable } from '../ui/DataTable.tsx';
import { Empty } from '../ui/EmptyState.tsx';
import { tell } from '../ui/toast.ts';

/** The name as the world asks for it. */
const fullName = (name: string, domain: string): string => (name === '' ? domain : `${name}.${domain}`);

/** A domain's records. */
export function Records({ id, domain, records }: { id: string; domain: string; records: readonly DnsRecord[] }) {
  const remove = useDeleteRecord();
  const act = async (record: DnsRecord) => {
    await remove.mutateAsync({ params: { id, recordId: record.id } });
    tell('The record was deleted.');
  };
  const columns: readonly Column<DnsRecord>[] = [
    { name: 'Type', show: ({ type }) => <code>{type}</code> },
    { name: 'Name', show: ({ name }) => fullName(name, domain) },
    { name: 'Content', show: ({ content }) => <span className="break">{content}</span> },
    { name: 'Priority', number: true, show: ({ type, prio }) => (type === 'MX' || type === 'SRV' ? prio : '') },
    { name: 'TTL', number: true, show: ({ ttl }) => `${ttl} s` },
    {
      name: 'Delete',
      show: (record) => (
        <Confirm
          label="Delete"
          size="compact-xs"
          question="Delete this record?"
          aria-label={`Delete ${record.type} ${fullName(record.name, domain)}`}
          act={() => act(record)}
        >
          <code className="break">{`${fullName(record.name, domain)} ${record.type} ${record.content}`}</code> is no
          longer answered. Others may remember it for {record.ttl} seconds.
        </Confirm>
      ),
    },
  ];
  if (records.length === 0)
    return <Empty title="No records yet">Add one below, for example where the website is.</Empty>;
  return <DataTable name={`DNS records of ${domain}`} items={records} idOf={(record) => record.id} columns={columns} />;
}
