import type { Command, Context } from './command.ts';

type Cell = string | number | null;

/** A command that shows a list: as JSON for scripts, as a table for people. */
interface Listing<Item> extends Omit<Command, 'run'> {
  read(context: Context): Promise<readonly Item[]>;
  /** The columns by heading. Each returns the cell of an item. */
  columns: Readonly<Record<string, (item: Item, context: Context) => Cell>>;
  /** The sentence to print instead of an empty table. */
  none: string;
}

/** Returns the command that shows a list. */
export const listing = <Item>({ read, columns, none, ...command }: Listing<Item>): Command => ({
  ...command,
  async run(context) {
    const items = await read(context);
    const { out } = context;
    out.result(items, () => {
      const rows = items.map((item) => Object.values(columns).map((cell) => cell(item, context)));
      out.table(Object.keys(columns), rows, none);
    });
  },
});
