import { Text } from '@mantine/core';
import { formatNumber } from '../ui/chart/figures.ts';
import { DataTable } from '../ui/DataTable.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { toLabel } from '../ui/Status.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { type MigrationProgress, useMigrations } from './api.ts';

/** Progress of the migrations of stored items. */
export function Migrations() {
  return (
    <Section
      title="Migrations"
      description="Update stored items to the current format in the background. Failures are retried every hour."
    >
      <QueryBoundary query={useMigrations()}>
        {({ data }) => (
          <DataTable
            name="Migrations"
            items={data}
            idOf={({ name }) => name}
            columns={[
              { name: 'Migration', show: ({ name }) => name },
              { name: 'State', show: (item) => <State item={item} /> },
              { name: 'Items read', number: true, show: ({ scanned }) => formatNumber(scanned) },
              { name: 'Changed', number: true, show: ({ changed }) => formatNumber(changed) },
              { name: 'Started', show: ({ startedAt }) => startedAt && <TimeAgo at={startedAt} /> },
              { name: 'Finished', show: ({ finishedAt }) => finishedAt && <TimeAgo at={finishedAt} /> },
            ]}
          />
        )}
      </QueryBoundary>
    </Section>
  );
}

const CLASSES: Record<string, string> = { DONE: 'status-good', FAILED: 'status-warn' };

const State = ({ item: { status, failed, failures } }: { item: MigrationProgress }) => (
  <>
    <span className={`status ${CLASSES[status] ?? ''}`}>{toLabel(status)}</span>
    {failed > 0 && <Text size="xs">{failed} items could not be changed</Text>}
    {failures.map(({ pk, sk, error }) => (
      <Text key={`${pk} ${sk}`} size="xs" className="break">
        {pk} / {sk}: {error}
      </Text>
    ))}
  </>
);
