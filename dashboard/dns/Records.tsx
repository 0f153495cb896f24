import { useMemo } from 'react';
import { ConfirmButton } from '../ui/ConfirmButton.tsx';
import { type Column, DataTable } from '../ui/DataTable.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { FilteredItems, useListFilter } from '../ui/FilteredItems.tsx';
import { byName, type ListView } from '../ui/list-view.ts';
import { toast } from '../ui/toast.ts';
import { type DnsRecord, useDeleteRecord } from './api.ts';
import { EditRecord } from './EditRecord.tsx';

/** Returns the fully qualified name of a record. */
const fullName = (name: string, domain: string): string => (name === '' ? domain : `${name}.${domain}`);

const VIEW: ListView<DnsRecord> = {
  text: ({ type, name, content }) => `${type} ${name} ${content}`,
  sorts: {
    name: { label: 'Name', compare: byName(({ name }) => name) },
    type: { label: 'Type', compare: byName(({ type }) => type) },
  },
  status: ({ type }) => type,
  statusName: { one: 'type', all: 'All types' },
};

/** Table of a domain's DNS records. */
export function Records({ id, domain, records }: { id: string; domain: string; records: readonly DnsRecord[] }) {
  const filter = useListFilter();
  const { mutateAsync: remove } = useDeleteRecord();
  const columns = useMemo(() => columnsOf({ id, domain, remove }), [id, domain, remove]);
  if (records.length === 0)
    return (
      <EmptyState title="No records yet">Add a record below, for example an A record for your website.</EmptyState>
    );
  return (
    <FilteredItems name="records" items={records} filter={filter} view={VIEW} statusLabel={(type) => type}>
      {(items) => (
        <DataTable name={`DNS records of ${domain}`} items={items} idOf={(record) => record.id} columns={columns} />
      )}
    </FilteredItems>
  );
}

interface Zone {
  id: string;
  domain: string;
  remove: ReturnType<typeof useDeleteRecord>['mutateAsync'];
}

const columnsOf = (zone: Zone): readonly Column<DnsRecord>[] => [
  { name: 'Type', show: ({ type }) => <code>{type}</code> },
  { name: 'Name', show: ({ name }) => fullName(name, zone.domain) },
  { name: 'Content', show: ({ content }) => <span className="break">{content}</span> },
  { name: 'Priority', number: true, show: ({ type, prio }) => (type === 'MX' || type === 'SRV' ? prio : '') },
  { name: 'TTL', number: true, show: ({ ttl }) => `${ttl} s` },
  { name: 'Actions', show: (record) => <RecordActions {...zone} record={record} /> },
];

function RecordActions({ id, domain, remove, record }: Zone & { record: DnsRecord }) {
  const name = `${record.type} ${fullName(record.name, domain)}`;
  const deleteRecord = async () => {
    await remove({ params: { id, recordId: record.id } });
    toast('Record deleted.');
  };
  return (
    <div className="row-actions">
      <EditRecord id={id} domain={domain} record={record} name={name} />
      <ConfirmButton
        label="Delete"
        size="compact-xs"
        question="Delete this record?"
        aria-label={`Delete ${name}`}
        onConfirm={deleteRecord}
      >
        <code className="break">{`${fullName(record.name, domain)} ${record.type} ${record.content}`}</code> is removed
        from DNS. Resolvers may cache it for up to {record.ttl} seconds.
      </ConfirmButton>
    </div>
  );
}
