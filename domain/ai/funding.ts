import { ApiError } from '../../contract/errors.ts';
import type { Adapter, AdapterRequest, Prepared } from '../../providers/ai/adapter.ts';
import type { ProviderId } from '../../providers/ai/registry.ts';
import type { PlatformKey } from '../../providers/platform-keys/platform-key.ts';
import { AiAccount } from '../../table/entities/ai.ts';
import type { Deps } from '../deps.ts';
import { messageOf, type Off, switchedOff } from '../switches/switches.ts';
import { type Hold, HoldRefused, hold, holdPlace, release, toHoldRefusal } from './credits.ts';
import { payDebt } from './entries.ts';
import type { CallingKey } from './key-calls.ts';
import type { Choice, Offer } from './models.ts';
import { microRandToRand, type Rate } from './prices.ts';
import type { KeyRing } from './provider-keys.ts';
import { lowerOutput, type Quote, quoteCall } from './quote.ts';

/** The payer of a call: the caller's own account with the provider, or their credits on the platform. */
export type Funding =
  | { kind: 'saved'; key: string; hold: Hold }
  | { kind: 'credits'; key: string; hold: Hold; rate: Rate; prepared: Prepared };

export interface FundingDeps extends Deps {
  keyRing: KeyRing;
  /** The platform's key for a provider. */
  platformKey(provider: ProviderId): PlatformKey;
}

const notSold = ({ provider }: Choice, id: string) =>
  new ApiError(
    'invalid_request',
    `model: ${id} is not sold on credits; to use it, save your own ${provider.name} key in the dashboard.`,
  );

function tooLongFor({ granted, place }: Hold): ApiError {
  const left = microRandToRand(granted);
  const message =
    granted === place.granted && place.budgetMicroRand !== undefined
      ? `The AI budget of this API key does not cover a prompt of this length; R${left} of it is left this month.`
      : `Your AI credits do not cover a prompt of this length; R${left} are available.`;
  return new ApiError('insufficient_credits', message);
}

/**
 * Finds out who pays, in at most one round trip more than the hold: a saved key is always used for its provider, and
 * what is said of credits is said only where there is none. Throws 400, 402, 429, 502 or 503.
 */
export async function fund(
  deps: FundingDeps,
  caller: CallingKey,
  choice: Choice,
  { randPerDollar, off }: Offer & { off: Off },
  adapter: Adapter,
  ask: AdapterRequest,
): Promise<Funding> {
  const { provider } = choice;
  const { accountId } = caller;
  const open = deps.keyRing.get(accountId, provider.id);
  const withPlace = async (key: string): Promise<Funding> => ({
    kind: 'saved',
    key,
    hold: await holdPlace(deps, caller),
  });
  if (open) return await withPlace(open);
  const askedAt = deps.now().getTime();
  const saved = async (account: AiAccount | undefined): Promise<Funding | undefined> => {
    const key = account && (await deps.keyRing.open(account, provider.id, askedAt));
    return key ? await withPlace(key) : undefined;
  };
  const stopped = messageOf(off, 'credits');
  const sale = stopped === undefined ? await offerFor(deps, choice, randPerDollar, adapter, ask) : switchedOff(stopped);
  if (sale instanceof ApiError) {
    const own = await saved(await deps.table.get(AiAccount, { accountId }));
    if (own) return own;
    throw sale;
  }
  const { key, rate, quote } = sale;
  try {
    const held = await holdAfterDebt(deps, caller, provider.id, quote.microRand);
    const prepared =
      held.granted === quote.microRand ? quote.prepared : lowerOutput(quote, adapter, ask, rate, held.granted);
    if (prepared) return { kind: 'credits', key, hold: held, rate, prepared };
    await release(deps, held);
    throw tooLongFor(held);
  } catch (error) {
    if (!(error instanceof HoldRefused)) throw error;
    const own = await saved(error.account);
    if (own) return own;
    throw toHoldRefusal(error);
  }
}

interface Sale {
  key: string;
  rate: Rate;
  quote: Quote;
}

/** The price of a call on credits, or the reason that it is not sold on them. */
async function offerFor(
  deps: FundingDeps,
  choice: Choice,
  randPerDollar: number,
  adapter: Adapter,
  ask: AdapterRequest,
): Promise<Sale | ApiError> {
  const { provider, model } = choice;
  if (!model?.credits) return notSold(choice, ask.request.model);
  const key = await deps.platformKey(provider.id).current();
  if (!key) {
    return new ApiError('server_error', `${provider.name} cannot be reached through us at the moment.`, {
      status: 502,
    });
  }
  const rate: Rate = { price: model.price, steps: model.steps, randPerDollar };
  try {
    return { key, rate, quote: quoteCall(adapter, ask, model, rate) };
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Holds an amount. An account that owes for an earlier call pays that first, once its credits cover it. */
async function holdAfterDebt(deps: Deps, caller: CallingKey, provider: string, microRand: number): Promise<Hold> {
  try {
    return await hold(deps, caller, provider, microRand);
  } catch (error) {
    if (!(error instanceof HoldRefused) || !(await payDebt(deps, error.account))) throw error;
    return await hold(deps, caller, provider, microRand);
  }
}
