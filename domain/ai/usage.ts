import type { getAiUsage as ReadRoute } from '../../contract/ai/management.ts';
import { invalidField } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import { ApiKey, apiKeysOf } from '../../table/entities/accounts.ts';
import type { Caller, Deps } from '../deps.ts';
import { DAY_MS, timestampBefore } from '../time.ts';
import { MAX_SUMS, readSums } from './usage-sums.ts';

/** Only this many of the newest keys are shown with their names; older ones only by id. */
const MAX_NAMED_KEYS = 200;

/** GET /dashboard/v1/ai/usage. Reads sums, so a long ledger costs no more than a short one. Throws 400 if the response would be too long. */
export async function readUsage(
  deps: Deps,
  { accountId }: Pick<Caller, 'accountId'>,
  { days }: Input<typeof ReadRoute>,
): Promise<Output<typeof ReadRoute>> {
  const from = timestampBefore(deps.now(), (days - 1) * DAY_MS).slice(0, 10);
  const [sums, { items: keys }] = await Promise.all([
    readSums(deps, accountId, from),
    deps.table.list(ApiKey, apiKeysOf(accountId), { limit: MAX_NAMED_KEYS, offset: 0 }),
  ]);
  // An incomplete list would look complete.
  if (sums.length >= MAX_SUMS) throw invalidField('days', 'must be fewer: the response would be too long');
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  const data = sums.map(({ keyId, microRand, day, model, calls, inputTokens, outputTokens }) => ({
    day,
    keyId: keyId || null,
    keyName: names.get(keyId) ?? null,
    model,
    calls,
    inputTokens,
    outputTokens,
    amountMicroRand: microRand,
  }));
  return { data, has_more: false };
}
