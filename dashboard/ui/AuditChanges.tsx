import { Text } from '@mantine/core';
import { changesOf, type Values } from './audit-changes.ts';

/** The fields that an audit log entry changed, one per line. */
export const AuditChanges = ({ entry }: { entry: { before: Values; after: Values } }) =>
  changesOf(entry).map(({ field, before, after }) => (
    <Text key={field} size="xs" className="break">
      {field}: {before !== undefined && <code>{before}</code>} {before !== undefined && after !== undefined && '→'}{' '}
      {after !== undefined && <code>{after}</code>}
    </Text>
  ));
