import * as z from 'zod/mini';
import { invalidField } from '../../contract/errors.ts';
import { Cell, CellResources } from '../../table/entities/cells.ts';
import { type Condition, unchanged } from '../../table/expressions.ts';
import { schedule } from '../../table/schedule.ts';
import { change, create } from '../../table/writes.ts';
import { HOME_CELL } from '../apps/cells.ts';
import { NO_ACCOUNT } from '../audit/record.ts';
import { concurrentUpdate, retryRequest } from '../conflict.ts';
import type { Deps } from '../deps.ts';

/** An operator's input for a hosting cell. A new cell needs the resources that its stack printed; an existing one may omit them. */
export const CellInput = () =>
  z.object({
    id: z.string().check(z.regex(/^[a-z][a-z0-9]{0,7}$/)),
    open: z.boolean(),
    resources: z.optional(CellResources()),
  });

const invalidResources = (reason: string) => invalidField('resources', reason);

/** Returns what the audit log shows of a cell. */
const summaryOf = ({ id, open, resources: { account, region, appsDomain } = {} }: Summarized) => ({
  id,
  open,
  account,
  region,
  appsDomain,
});
type Summarized = Pick<Cell, 'id' | 'open'> & {
  resources?: Partial<Pick<CellResources, 'account' | 'region' | 'appsDomain'>> | undefined;
};

/** Returns the condition that no operator has changed a cell since it was read. A measurement of its capacity changes it every minute. */
const asRead = (known: Cell): Record<string, Condition> => {
  const { open, account, region, appsDomain } = summaryOf(known);
  return {
    open: unchanged(open),
    'resources.account': unchanged(account),
    'resources.region': unchanged(region),
    'resources.appsDomain': unchanged(appsDomain),
  };
};

/** Adds or changes a hosting cell. An open cell accepts new applications once its capacity is measured, within a minute. */
export async function setCell(
  deps: Deps,
  { id, open, resources }: z.output<ReturnType<typeof CellInput>>,
): Promise<{ id: string; open: boolean }> {
  if (id === HOME_CELL && resources) throw invalidResources('the home cell uses the resources of the platform');
  return await retryRequest(async () => {
    const known = await deps.table.get(Cell, { id });
    if (id !== HOME_CELL && !resources && !known) throw invalidResources(`required for the new cell ${id}`);
    const given = { open, ...(resources ? { resources } : {}) };
    const due = schedule(Cell, deps.now());
    const write = known
      ? change(Cell, { id }, { set: { ...given, ...due }, when: asRead(known) }, concurrentUpdate)
      : create(Cell, { id, ...given, dueAt: due.dueAt }, concurrentUpdate);
    const about = { action: 'cell.set', accountId: NO_ACCOUNT, subjectId: id } as const;
    const before = known ? { before: summaryOf(known) } : {};
    return await deps.commit(
      [write],
      { id, open },
      { ...about, ...before, after: summaryOf({ ...known, id, ...given }) },
    );
  });
}
