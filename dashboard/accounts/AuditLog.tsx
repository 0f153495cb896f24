import { Group, NativeSelect, Text } from '@mantine/core';
import { AUDIT_ACTIONS, type AuditAction, isAuditAction, labelOfAction } from '../../contract/audit/actions.ts';
import { AUDIT_ACTORS } from '../../contract/audit/entry.ts';
import { AuditChanges } from '../ui/AuditChanges.tsx';
import { CopyId } from '../ui/CopyId.tsx';
import { DataTable } from '../ui/DataTable.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Pager } from '../ui/Pager.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { parseOffset, useUrlStates } from '../ui/use-url-state.ts';
import { ACTORS } from './audit-actors.ts';
import { AUDIT_PAGE_SIZE, type AuditEntry, type AuditFilter, useAuditLog } from './audit-api.ts';

const ACTIONS = Object.keys(AUDIT_ACTIONS).filter(isAuditAction);

/** Paged list of the account's changes, filtered by change and actor. */
export function AuditLog() {
  const [{ action, actor, offset: at = '' }, change] = useUrlStates(['action', 'actor', 'offset']);
  const filter: AuditFilter = {
    action: ACTIONS.find((known) => known === action),
    actor: AUDIT_ACTORS.find((known) => known === actor),
  };
  const offset = parseOffset(at);
  const choose = (chosen: AuditFilter) =>
    change({ action: chosen.action ?? '', actor: chosen.actor ?? '', offset: '' });
  const setOffset = (to: number) => change({ offset: to === 0 ? '' : String(to) });
  return (
    <Section
      title="Audit log"
      description="Changes to your account in the last year: what changed, who changed it, and from which address. Secrets are never logged."
      actions={<Filters filter={filter} choose={choose} />}
    >
      <QueryBoundary query={useAuditLog(filter, offset)}>
        {({ data, has_more }) => (
          <>
            {data.length === 0 && (
              <EmptyState title="No changes">
                {filter.action || filter.actor ? 'Try a different filter.' : 'Changes to your account appear here.'}
              </EmptyState>
            )}
            {data.length > 0 && (
              <DataTable
                name="Audit log"
                items={data}
                idOf={({ id }) => id}
                columns={[
                  { name: 'When', show: ({ createdAt }) => <TimeAgo at={createdAt} /> },
                  { name: 'What', show: (entry) => <What entry={entry} /> },
                  { name: 'Who', show: (entry) => <Who entry={entry} /> },
                  { name: 'Change', long: true, show: (entry) => <AuditChanges entry={entry} /> },
                ]}
              />
            )}
            <Pager offset={offset} size={AUDIT_PAGE_SIZE} hasMore={has_more} go={setOffset} />
          </>
        )}
      </QueryBoundary>
    </Section>
  );
}

function Filters({ filter, choose }: { filter: AuditFilter; choose: (filter: AuditFilter) => void }) {
  const actions: { value: AuditAction; label: string }[] = ACTIONS.map((value) => ({
    value,
    label: labelOfAction(value),
  }));
  const actors = AUDIT_ACTORS.map((value) => ({ value, label: ACTORS[value] }));
  return (
    <Group gap="xs" className="choices">
      <NativeSelect
        size="xs"
        aria-label="Filter by change"
        value={filter.action ?? ''}
        onChange={({ currentTarget: { value } }) =>
          choose({ ...filter, action: ACTIONS.find((known) => known === value) })
        }
        data={[{ value: '', label: 'All changes' }, ...actions.sort((a, b) => a.label.localeCompare(b.label))]}
      />
      <NativeSelect
        size="xs"
        aria-label="Filter by actor"
        value={filter.actor ?? ''}
        onChange={({ currentTarget: { value } }) =>
          choose({ ...filter, actor: AUDIT_ACTORS.find((known) => known === value) })
        }
        data={[{ value: '', label: 'All actors' }, ...actors]}
      />
    </Group>
  );
}

const What = ({ entry: { action, subjectId } }: { entry: AuditEntry }) => (
  <>
    <Text size="sm">{labelOfAction(action)}</Text>
    {subjectId && <CopyId id={subjectId} />}
  </>
);

const Who = ({ entry: { actor, address } }: { entry: AuditEntry }) => (
  <>
    <Text size="sm">{ACTORS[actor.kind]}</Text>
    {actor.name ? (
      <Text size="xs" c="dimmed" className="break">
        {actor.name}
      </Text>
    ) : (
      actor.id && <CopyId id={actor.id} />
    )}
    {address && (
      <Text size="xs" c="dimmed">
        from {address}
      </Text>
    )}
  </>
);
