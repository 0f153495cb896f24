import { memo, type ReactNode } from 'react';

export interface Column<T> {
  name: string;
  show: (item: T) => ReactNode;
  /** Aligns the column to the right. */
  number?: boolean;
  /** Sentences: in cards they are below their label, over the whole width. */
  long?: boolean;
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

const alignment = ({ number, long }: { number?: boolean; long?: boolean }) =>
  number ? { className: 'number' } : long ? { className: 'long' } : {};

/** Plain elements: Mantine's cells take several times as long to render. If the columns are constant, a row renders again only when its item changes. */
const Row = memo(({ item, columns }: RowProps<unknown>) => (
  <tr>
    {columns.map((column) => (
      <td key={column.name} data-label={column.name} {...alignment(column)}>
        {column.show(item)}
      </td>
    ))}
  </tr>
)) as <T>(props: RowProps<T>) => ReactNode;

/** Returns the class for the width that a table of so many columns needs. */
const widthClass = (columns: number): string => (columns < 4 ? '' : columns < 6 ? ' sideways-some' : ' sideways-many');

/** A table. In a narrow space its rows become cards; if they are still too wide, it scrolls, also by keyboard. */
export function DataTable<T>({ name, items, idOf, columns }: DataTableProps<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <section className={`card sideways${widthClass(columns.length)}`} aria-label={name} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} {...alignment(column)}>
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
