import { ApiError, invalidField } from '../../contract/errors.ts';
import type { AdapterRequest, Prepared } from '../../providers/ai/adapter.ts';
import type { Model } from '../../providers/ai/models.ts';
import type { ProviderId } from '../../providers/ai/registry.ts';
import type { PlatformKey } from '../../providers/platform-keys/platform-key.ts';
import { AiAccount } from '../../table/entities/ai.ts';
import type { Deps } from '../deps.ts';
import { messageOf, type Off, switchedOff } from '../switches/switches.ts';
import type { CallingKey } from './budget-holds.ts';
import { type Hold, HoldRefused, hold, holdCallSlot, releaseHold, toHoldRefusal } from './credits.ts';
import { payDebt } from './entries.ts';
import { notAvailableOnCredits } from './errors.ts';
import { microRandToRand, type Rate } from './prices.ts';
import type { KeyRing } from './provider-keys.ts';
import { lowerOutput, type Quote, quoteCall } from './quote.ts';

/** The payer of a call: the caller's own account with the provider (`saved`), or the caller's credits on the platform. */
export type Funding =
  | { kind: 'saved'; key: string; hold: Hold }
  | { kind: 'credits'; key: string; hold: Hold; rate: Rate; prepared: Prepared };

export interface FundingDeps extends Deps {
  keyRing: KeyRing;
  /** The platform's key for a provider. */
  platformKey(provider: ProviderId): PlatformKey;
}

const notSold = ({ provider, request }: AdapterRequest) =>
  invalidField(
    'model',
    `${request.model} is not sold on credits; to use it, save your own ${provider.name} key in the dashboard.`,
  );

function promptTooLong({ granted, budget }: Hold): ApiError {
  const available = microRandToRand(granted);
  const message =
    granted === budget?.granted
      ? `The AI budget of this API key does not cover a prompt of this length; R${available} of it remains this month.`
      : `Your AI credits do not cover a prompt of this length; R${available} is available.`;
  return new ApiError('insufficient_credits', message);
}

/**
 * Determines who pays for a call, and places the hold. Needs at most one round trip more than the hold. A saved key is always used
 * for its provider, so an error about credits is thrown only if there is no saved key. Throws 400, 402, 429, 502 or 503.
 */
export async function fund(
  deps: FundingDeps,
  caller: CallingKey,
  adapterRequest: AdapterRequest,
  { model, randPerDollar, off }: { model: Model | undefined; randPerDollar: number; off: Off },
): Promise<Funding> {
  const { provider } = adapterRequest;
  const { accountId } = caller;
  const cachedKey = deps.keyRing.get(accountId, provider.id);
  const fundByKey = async (key: string): Promise<Funding> => ({
    kind: 'saved',
    key,
    hold: await holdCallSlot(deps, caller),
  });
  if (cachedKey) return await fundByKey(cachedKey);
  const readAt = deps.now().getTime();
  const fundBySavedKey = async (account: AiAccount | undefined): Promise<Funding | undefined> => {
    const key = account && (await deps.keyRing.open(account, provider.id, readAt));
    return key ? await fundByKey(key) : undefined;
  };
  const stopped = messageOf(off, 'credits');
  const sale =
    stopped === undefined ? await quoteSale(deps, adapterRequest, model, randPerDollar) : switchedOff(stopped);
  if (sale instanceof ApiError) {
    const savedFunding = await fundBySavedKey(await deps.table.get(AiAccount, { accountId }));
    if (savedFunding) return savedFunding;
    throw sale;
  }
  const { key, rate, quote } = sale;
  try {
    const held = await holdAfterDebt(deps, caller, provider.id, quote.microRand);
    const prepared =
      held.granted === quote.microRand ? quote.prepared : lowerOutput(quote, adapterRequest, rate, held.granted);
    if (prepared) return { kind: 'credits', key, hold: held, rate, prepared };
    await releaseHold(deps, held);
    throw promptTooLong(held);
  } catch (error) {
    if (!(error instanceof HoldRefused)) throw error;
    const savedFunding = await fundBySavedKey(error.account);
    if (savedFunding) return savedFunding;
    throw toHoldRefusal(error);
  }
}

interface Sale {
  key: string;
  rate: Rate;
  quote: Quote;
}

/** Returns the price and the quote of a call on credits, or the error that explains why the call is not sold on credits. */
async function quoteSale(
  deps: FundingDeps,
  adapterRequest: AdapterRequest,
  model: Model | undefined,
  randPerDollar: number,
): Promise<Sale | ApiError> {
  const { provider } = adapterRequest;
  if (!model?.credits) return notSold(adapterRequest);
  const key = await deps.platformKey(provider.id).current();
  if (!key) return notAvailableOnCredits(provider.name);
  const rate: Rate = { price: model.price, steps: model.steps, randPerDollar };
  try {
    return { key, rate, quote: quoteCall(adapterRequest, model, rate) };
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Holds an amount. Pays the account's debt first if its available credits cover it. */
async function holdAfterDebt(deps: Deps, caller: CallingKey, provider: string, microRand: number): Promise<Hold> {
  try {
    return await hold(deps, caller, provider, microRand);
  } catch (error) {
    if (!(error instanceof HoldRefused) || !(await payDebt(deps, error.account))) throw error;
    return await hold(deps, caller, provider, microRand);
  }
}
