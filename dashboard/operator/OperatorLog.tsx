import { Text } from '@mantine/core';
import { useState } from 'react';
import { AUDIT_ACTIONS, isAuditAction } from '../../contract/audit/actions.ts';
import { CopyId } from '../ui/CopyId.tsx';
import { DataTable } from '../ui/DataTable.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Pager } from '../ui/Pager.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { LOG_PAGE_SIZE, type OperatorEntry, useOperatorLog } from './api.ts';

/** In place of the id of what belongs to no account. */
const NO_ACCOUNT = 'platform';

/** Entries of the audit log with their reasons: of all operators, or of one account. */
export function OperatorLog({ title, accountId }: { title: string; accountId?: string }) {
  const [offset, setOffset] = useState(0);
  return (
    <Section title={title}>
      <QueryBoundary query={useOperatorLog(offset, accountId)}>
        {({ data, has_more }) => (
          <>
            {data.length === 0 && <EmptyState title="No entries">What operators change appears here.</EmptyState>}
            {data.length > 0 && (
              <DataTable
                name={title}
                items={data}
                idOf={({ id }) => id}
                columns={[
                  { name: 'When', show: ({ createdAt }) => <TimeAgo at={createdAt} /> },
                  { name: 'What', show: (entry) => <What entry={entry} /> },
                  ...(accountId === undefined ? [{ name: 'Account', show: AccountLink }] : []),
                  { name: 'Reason', show: ({ reason }) => reason },
                  { name: 'Who', show: (entry) => <Who entry={entry} /> },
                  { name: 'Request', show: ({ requestId }) => requestId && <CopyId id={requestId} /> },
                ]}
              />
            )}
            <Pager offset={offset} size={LOG_PAGE_SIZE} hasMore={has_more} go={setOffset} />
          </>
        )}
      </QueryBoundary>
    </Section>
  );
}

/** Links to the account that an entry is of, or that was read. */
function AccountLink({ accountId, subjectId }: OperatorEntry) {
  const id = [accountId, subjectId].find((each) => each?.startsWith('acc_'));
  return id && <TextLink href={`/operator/accounts/${id}`}>{id}</TextLink>;
}

const What = ({ entry: { action, subjectId, before, after } }: { entry: OperatorEntry }) => (
  <>
    <Text size="sm">{isAuditAction(action) ? AUDIT_ACTIONS[action].label : action}</Text>
    {subjectId && subjectId !== NO_ACCOUNT && <CopyId id={subjectId} />}
    <Values label="Before" values={before} />
    <Values label="After" values={after} />
  </>
);

const Values = ({ label, values }: { label: string; values: OperatorEntry['after'] }) =>
  values && (
    <Text size="xs" className="break">
      {label}: <code>{JSON.stringify(values)}</code>
    </Text>
  );

const Who = ({ entry: { actor, address } }: { entry: OperatorEntry }) => (
  <>
    <Text size="sm">{actor.kind.toLowerCase()}</Text>
    {actor.id && <CopyId id={actor.id} />}
    {address && (
      <Text size="xs" c="dimmed">
        from {address}
      </Text>
    )}
  </>
);
