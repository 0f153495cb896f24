import * as z from 'zod/mini';
import { deleteUnusedCertificates } from '../../domain/custom-domains/unused-certificates.ts';
import { measureQuotas } from '../../domain/operator/quotas.ts';
import { createBudget, RUN_BUDGET_MS } from '../../domain/sweep/budget.ts';
import { edgeCertificates } from '../../runtime/bindings/edge-certificates.ts';
import { accountQuotas, quotaMeasures } from '../../runtime/bindings/quotas.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { deps } from '../../runtime/deps.ts';
import { reportCleanups, reportQuotas } from '../../runtime/observability/quota-metrics.ts';
import { step } from '../../runtime/triggers/step.ts';

const cellOf = cellsWith({ quotaMeasures, edgeCertificates });

/** Every minute: reports the use of AWS quotas, which it measures once an hour, and then deletes unused certificates. */
export const handler = step(z.unknown(), async () => {
  const budget = createBudget(deps, RUN_BUDGET_MS);
  const report = await measureQuotas({ ...deps, cellOf }, accountQuotas);
  const quotas = reportQuotas(report);
  if (report.isNew) reportCleanups(await deleteUnusedCertificates({ ...deps, cellOf }, budget));
  return quotas;
});
