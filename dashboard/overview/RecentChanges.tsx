import { Group, Text } from '@mantine/core';
import { ACTORS } from '../accounts/audit-actors.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Section } from '../ui/Section.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import type { OverviewData } from './api.ts';

type Change = OverviewData['changes'][number];

/** Returns the name of the changed resource; undefined if the entry has none. */
function subjectOf({ before, after }: Change): string | undefined {
  const values = { ...before, ...after };
  const name = ['name', 'url', 'domain', 'number', 'amount'].map((field) => values[field]).find(Boolean);
  return typeof name === 'string' ? name : undefined;
}

/** The latest entries of the audit log. */
export const RecentChanges = ({ changes }: { changes: readonly Change[] }) => (
  <Section title="Recent activity" actions={<TextLink href="/developers/audit">Audit log</TextLink>}>
    {changes.length === 0 ? (
      <EmptyState title="No activity yet">Changes to your account appear here.</EmptyState>
    ) : (
      <div className="card">
        {changes.map((change) => (
          <Group key={change.id} className="row" justify="space-between" gap="xs">
            <Text size="sm" className="break">
              {change.label}
              {subjectOf(change) && (
                <Text span c="dimmed">
                  {' '}
                  {subjectOf(change)}
                </Text>
              )}
            </Text>
            <Text size="xs" c="dimmed">
              {change.actor.name ?? ACTORS[change.actor.kind]} · <TimeAgo at={change.createdAt} />
            </Text>
          </Group>
        ))}
      </div>
    )}
  </Section>
);
