import * as z from 'zod/mini';
import { ApiError } from '../../contract/errors.ts';
import { Cell, CellResources } from '../../table/entities/cells.ts';
import { schedule } from '../../table/schedule.ts';
import { change, create } from '../../table/writes.ts';
import { HOME_CELL } from '../apps/cells.ts';
import { NO_ACCOUNT } from '../audit/record.ts';
import type { Deps } from '../deps.ts';

/** An operator's input for a hosting cell. A new cell needs the resources that its stack printed. An existing cell keeps them if they are omitted. */
export const CellInput = () =>
  z.object({
    id: z.string().check(z.regex(/^[a-z][a-z0-9]{0,7}$/)),
    open: z.boolean(),
    resources: z.optional(CellResources()),
  });

const invalidResources = (reason: string) => new ApiError('invalid_request', `resources: ${reason}`);

/** Adds or changes a hosting cell. An open cell accepts new applications once its capacity is measured, within a minute. */
export async function setCell(
  deps: Deps,
  { id, open, resources }: z.output<ReturnType<typeof CellInput>>,
): Promise<{ id: string; open: boolean }> {
  const known = await deps.table.get(Cell, { id });
  if (id === HOME_CELL && resources) throw invalidResources('the home cell uses the resources of the platform');
  if (id !== HOME_CELL && !resources && !known) throw invalidResources(`required for the new cell ${id}`);
  const now = deps.now().toISOString();
  const set = { open, ...(resources ? { resources } : {}), ...schedule(Cell, now) };
  const write = known
    ? change(Cell, { id }, { set })
    : create(Cell, { id, open, ...(resources ? { resources } : {}), dueAt: now });
  const { account, region, appsDomain } = resources ?? known?.resources ?? {};
  const about = { action: 'cell.set', accountId: NO_ACCOUNT, subjectId: id } as const;
  return await deps.commit([write], { id, open }, { ...about, after: { id, open, account, region, appsDomain } });
}
