import { listCells } from '../../domain/apps/cells.ts';
import { staleWhileRevalidate } from '../../domain/cache/cache.ts';
import { deps } from '../deps.ts';

/** The hosting cells that operators registered: no request but an instance's first waits for them. */
export const cells = staleWhileRevalidate(deps.now, () => listCells(deps));
