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

const side = ({ number }: { number?: boolean }) => (number ? { className: 'number' } : {});

/** Plain elements: Mantine's cells cost several times as much to render. A row is rendered again only when its item changes, where the columns are constant. */
const Row = memo(({ item, columns }: RowProps<unknown>) => (
  <tr>
    {columns.map((column) => (
      <td key={column.name} data-label={column.name} {...side(column)}>
        {column.show(item)}
      </td>
    ))}
  </tr>
)) as <T>(props: RowProps<T>) => ReactNode;

/** Number of columns from which on a tablet has no room for a table. */
const MANY = 4;

/** A table that shows its rows as cards where they have no room, and scrolls where they still have none, by keyboard too. */
export function DataTable<T>({ name, items, idOf, columns }: DataTableProps<T>) {
  const room = columns.length < MANY ? 'sideways' : 'sideways sideways-many';
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <section className={`card ${room}`} aria-label={name} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} {...side(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <Row key={idOf(item)} item={item} columns={columns} />
          ))}
        </tbody>
      </table>
    </section>
  );
}
