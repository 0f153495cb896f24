import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyId } from '../ui/CopyId.tsx';
import { type Column, DataTable } from '../ui/DataTable.tsx';
import { Section } from '../ui/Section.tsx';

interface ListProps<T> {
  title: string;
  items: readonly T[];
  idOf: (item: T) => string;
  columns: readonly Column<T>[];
  actions?: ReactNode;
}

/** A section with the newest items of a list. */
export const ListSection = <T,>({ title, items, idOf, columns, actions }: ListProps<T>) => (
  <Section title={title} actions={actions}>
    {items.length === 0 ? (
      <Text size="sm" c="dimmed">
        None
      </Text>
    ) : (
      <DataTable name={title} {...{ items, idOf, columns }} />
    )}
  </Section>
);

/** A resource's name with its id to copy, because other screens, logs and customers refer to it by id. */
export const NameWithId = ({ name, id }: { name: string; id: string | null }) => (
  <>
    <div>{name}</div>
    {id && <CopyId id={id} />}
  </>
);
