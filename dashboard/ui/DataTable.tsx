import { Table } from '@mantine/core';
import { memo, type ReactNode } from 'react';

export interface Column<T> {
  name: string;
  show: (item: T) => ReactNode;
  /** Aligns the column to the right. */
  number?: boolean;
}

interface DataTableProps<T> {
  /** Name for screen readers. */
  name: string;
  items: readonly T[];
  idOf: (item: T) => string;
  columns: readonly Column<T>[];
}

interface RowProps<T> {
  item: T;
  columns: readonly Column<T>[];
}

const side = ({ number }: { number?: boolean }) =>
  number ? ({ ta: 'right', style: { fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' } } as const) : {};

/** A row is rendered again only when its item changes, where the columns are constant. */
const Row = memo(({ item, columns }: RowProps<unknown>) => (
  <Table.Tr>
    {columns.map((column) => (
      <Table.Td key={column.name} data-label={column.name} {...side(column)}>
        {column.show(item)}
      </Table.Td>
    ))}
  </Table.Tr>
)) as <T>(props: RowProps<T>) => ReactNode;

/** A table that scrolls horizontally where it is too wide, by keyboard too. */
export function DataTable<T>({ name, items, idOf, columns }: DataTableProps<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <section className="card sideways" aria-label={name} tabIndex={0}>
      <Table verticalSpacing="xs" horizontalSpacing="md" fz="sm">
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.name} {...side(column)}>
                {column.name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((item) => (
            <Row key={idOf(item)} item={item} columns={columns} />
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
