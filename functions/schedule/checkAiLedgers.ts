import * as z from 'zod/mini';
import { checkLedgers } from '../../domain/ai/ledger.ts';
import { deps } from '../../runtime/deps.ts';
import { log, metrics } from '../../runtime/observability/log.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Every minute, for the accounts that are due: do the books add up to the balance? */
export const handler = step(z.unknown(), async () => {
  const found = await checkLedgers(deps);
  const { checked, busy, mismatches } = found;
  log.info('ledgers checked', {
    ...found,
    ...metrics(
      { operation: 'checkAiLedgers' },
      {
        LedgersChecked: [checked, 'Count'],
        LedgersBusy: [busy, 'Count'],
        LedgerMismatches: [mismatches.length, 'Count'],
      },
    ),
  });
  return found;
});
