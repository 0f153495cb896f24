import * as z from 'zod/mini';
import { overdue } from '../../domain/overdue.ts';
import { deliveryQueue as queue } from '../../runtime/bindings/delivery-queue.ts';
import { machines } from '../../runtime/bindings/executions.ts';
import { txt } from '../../runtime/bindings/txt-records.ts';
import { reportEvents, reportSweep } from '../../runtime/delivery-metrics.ts';
import { deps } from '../../runtime/deps.ts';
import { duties } from '../../runtime/duties.ts';
import { extensions } from '../../runtime/extensions.ts';
import { mirrorQueue as mirrors } from '../../runtime/mirror-queue.ts';
import { step } from '../../runtime/triggers/step.ts';

const { deliveries, events, ...others } = overdue({ ...deps, ...machines, txt, queue, mirrors, extensions });

/** Every minute: finds what is overdue and puts it back on its way. */
export const handler = step(z.unknown(), () =>
  duties({
    deliveries: async () => reportSweep(await deliveries()),
    events: async () => reportEvents(await events()),
    ...others,
  }),
);
