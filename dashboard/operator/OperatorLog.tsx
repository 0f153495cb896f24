import { Text } from '@mantine/core';
import { useState } from 'react';
import { labelOfAction } from '../../contract/audit/actions.ts';
import { AuditChanges } from '../ui/AuditChanges.tsx';
import { CopyId } from '../ui/CopyId.tsx';
import { DataTable } from '../ui/DataTable.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Pager } from '../ui/Pager.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { LOG_PAGE_SIZE, type OperatorEntry, useOperatorLog } from './api.ts';

/** Stands in for an id in entries about the whole platform. */
const NO_ACCOUNT = 'platform';

/** Audit log entries with their reasons, of all operators or of one account. */
export function OperatorLog({ title, accountId }: { title: string; accountId?: string }) {
  const [offset, setOffset] = useState(0);
  return (
    <Section title={title}>
      <QueryBoundary query={useOperatorLog(offset, accountId)}>
        {({ data, has_more }) => (
          <>
            {data.length === 0 && <EmptyState title="No entries">Changes by operators appear here.</EmptyState>}
            {data.length > 0 && (
              <DataTable
                name={title}
                items={data}
                idOf={({ id }) => id}
                columns={[
                  { name: 'When', show: ({ createdAt }) => <TimeAgo at={createdAt} /> },
                  { name: 'What', show: (entry) => <What entry={entry} /> },
                  ...(accountId === undefined ? [{ name: 'Account', show: AccountLink }] : []),
                  { name: 'Change', long: true, show: (entry) => <AuditChanges entry={entry} /> },
                  { name: 'Who', show: (entry) => <Who entry={entry} /> },
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

/** The account has a column, or the screen, of its own. */
const isAccount = (id: string | null) => id?.startsWith('acc_');

/** Links to the account that the operator changed or read. */
function AccountLink({ accountId, subjectId }: OperatorEntry) {
  const id = [accountId, subjectId].find(isAccount);
  return (
    id && (
      <span className="break">
        <TextLink href={`/operator/accounts/${id}`}>{id}</TextLink>
      </span>
    )
  );
}

const What = ({ entry: { action, subjectId, reason } }: { entry: OperatorEntry }) => (
  <>
    <Text size="sm">{labelOfAction(action)}</Text>
    {reason && (
      <Text size="sm" c="dimmed" className="break">
        {reason}
      </Text>
    )}
    {subjectId && subjectId !== NO_ACCOUNT && !isAccount(subjectId) && <CopyId id={subjectId} />}
  </>
);

/** The actor of a change, with the IP address and the request. */
const Who = ({ entry: { actor, address, requestId } }: { entry: OperatorEntry }) => (
  <>
    <Text size="sm">{actor.kind.toLowerCase()}</Text>
    {actor.name && (
      <Text size="sm" className="break">
        {actor.name}
      </Text>
    )}
    {actor.id && <CopyId id={actor.id} />}
    {address && (
      <Text size="xs" c="dimmed">
        from {address}
      </Text>
    )}
    {requestId && (
      <Text size="xs" c="dimmed" component="div">
        request <CopyId id={requestId} />
      </Text>
    )}
  </>
);
