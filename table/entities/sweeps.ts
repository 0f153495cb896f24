import * as z from 'zod/mini';
import { entity } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** The progress of a sweep over waiting items (domain/sweep/sweep-all.ts). */
export const Sweep = /* @__PURE__ */ entity({
  type: 'SWEEP',
  schema: () => z.object({ name: z.string(), upTo: z.string() }),
  key: ({ name }: { name: string }) => ({ pk: key('SWEEP', name), sk: 'SWEEP' }),
});
