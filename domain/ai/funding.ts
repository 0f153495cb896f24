import { ApiError } from '../../contract/errors.ts';
import type { ProviderId } from '../../providers/ai/registry.ts';
import { AiAccount } from '../../table/entities/ai.ts';
import type { Deps } from '../deps.ts';
import { type Hold, HoldRefused, hold, release, toHoldRefusal } from './credits.ts';
import type { Choice, Offer } from './models.ts';
import type { Rate } from './prices.ts';
import { affordableOutput, maxCost, type Prompt } from './prompt.ts';
import type { KeyRing } from './provider-keys.ts';

/** The payer of a call: the caller's own account with the provider, or their credits on the platform. */
export type Funding =
  | { kind: 'saved'; key: string; outputLimit: undefined }
  | { kind: 'credits'; key: string; hold: Hold; rate: Rate; outputLimit: number | undefined };

export interface FundingDeps extends Deps {
  keyRing: KeyRing;
  /** Our own key for a provider; undefined where we have none. */
  ownKey(provider: ProviderId): string | undefined;
}

const notSold = ({ provider }: Choice, id: string) =>
  new ApiError(
    'invalid_request',
    `model: ${id} is not sold on credits; to use it, save your own ${provider.name} key in the dashboard.`,
  );

/**
 * Finds out who pays, in at most one round trip more than the hold: a saved key is always used for its provider, and
 * what is said of credits is said only where there is none. Throws 400, 402 or 429.
 */
export async function fund(
  deps: FundingDeps,
  accountId: string,
  choice: Choice,
  id: string,
  offer: Offer,
  prompt: Prompt,
): Promise<Funding> {
  const { provider, model } = choice;
  const open = deps.keyRing.get(accountId, provider.id);
  if (open) return { kind: 'saved', key: open, outputLimit: undefined };
  const ownKey = deps.ownKey(provider.id);
  const askedAt = deps.now().getTime();
  const saved = async (account: AiAccount | undefined): Promise<Funding | undefined> => {
    const key = account && (await deps.keyRing.open(account, provider.id, askedAt));
    return key ? { kind: 'saved', key, outputLimit: undefined } : undefined;
  };
  if (!model?.credits || !ownKey) {
    const own = await saved(await deps.table.get(AiAccount, { accountId }));
    if (own) return own;
    if (!model?.credits) throw notSold(choice, id);
    throw new ApiError('server_error', `${provider.name} cannot be reached through us at the moment.`, { status: 502 });
  }
  const rate = { price: model.price, randPerDollar: offer.randPerDollar };
  const answers = provider.kind === 'anthropic' ? 1 : prompt.answers;
  const most = maxCost(prompt, model, rate, answers);
  try {
    const held = await hold(deps, accountId, provider.id, most);
    if (held.granted === most) return { kind: 'credits', key: ownKey, hold: held, rate, outputLimit: undefined };
    const outputLimit = affordableOutput(prompt, rate, held.granted, answers);
    if (outputLimit >= 1) return { kind: 'credits', key: ownKey, hold: held, rate, outputLimit };
    await release(deps, held);
  } catch (error) {
    if (!(error instanceof HoldRefused)) throw error;
    const own = await saved(error.account);
    if (own) return own;
    throw toHoldRefusal(error);
  }
  throw new ApiError('insufficient_credits', 'Your AI credits do not cover a prompt of this length.');
}
