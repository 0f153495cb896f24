import type { Migration } from './migration.ts';

/** Renames `serial` of deliveries to `step`. Without it, older deliveries could not be listed, resent or retried. */
export const deliveryStep: Migration = {
  name: '0002-delivery-step',
  entity: 'DELIVERY',
  to: 2,
  reads: ['serial', 'step'],
  forward: ({ serial, step }) => {
    if (serial === undefined) return undefined;
    return { ...(step === undefined ? { set: { step: serial } } : {}), remove: ['serial'] };
  },
};
