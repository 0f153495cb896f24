import { listCells } from '../../domain/apps/cells.ts';
import { staleWhileRevalidate } from '../../domain/cache/cache.ts';
import { deps } from '../deps.ts';

/** The hosting cells that operators registered. Only the first request of an instance waits for them. */
export const cells = staleWhileRevalidate(deps.now, () => listCells(deps));
