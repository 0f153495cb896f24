import * as z from 'zod/mini';
import { measureQuotas } from '../../domain/operator/quotas.ts';
import { accountQuotas, quotaMeasures } from '../../runtime/bindings/quotas.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { deps } from '../../runtime/deps.ts';
import { reportQuotas } from '../../runtime/observability/quota-metrics.ts';
import { step } from '../../runtime/triggers/step.ts';

const cellOf = cellsWith({ quotaMeasures });

/** Every minute: measures the quotas of AWS, once an hour, and reports how full they are. */
export const handler = step(z.unknown(), async () =>
  reportQuotas(await measureQuotas({ ...deps, cellOf }, accountQuotas)),
);
