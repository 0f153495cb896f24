import * as z from 'zod/mini';
import type { getModel as GetRoute, listModels as ListRoute } from '../../contract/ai/gateway.ts';
import { AI_PROVIDER_IDS } from '../../contract/enums.ts';
import { ApiError, invalidField } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import { type ListPrice, type Model, modelsAt } from '../../providers/ai/models.ts';
import { isProviderId, PROVIDERS, type Provider } from '../../providers/ai/registry.ts';
import { AiOffer } from '../../table/entities/ai.ts';
import type { Caller, Deps } from '../deps.ts';
import { changeOffer, type OfferRule, offerReader } from '../offers.ts';
import { randPerMillion } from './prices.ts';

/** The models for sale and the price of a dollar in rand. */
export interface Offer {
  models: readonly Model[];
  randPerDollar: number;
}

const dollars = () => z.number().check(z.minimum(0), z.maximum(100_000));
const Price = () => z.object({ input: dollars(), cachedInput: dollars(), cacheWrite: dollars(), output: dollars() });
const OfferedModel = () =>
  z
    .object({
      id: z.string(),
      provider: z.enum(AI_PROVIDER_IDS),
      upstream: z.string().check(z.minLength(1)),
      name: z.string().check(z.minLength(1)),
      price: Price(),
      steps: z.optional(z.array(z.object({ above: z.int().check(z.positive()), price: Price() }))),
      imageTokens: z.optional(z.int().check(z.minimum(0))),
      contextLimit: z.int().check(z.positive()),
      outputLimit: z.int().check(z.positive()),
      credits: z.boolean(),
    })
    .check(z.refine(({ id, provider }) => id.startsWith(`${provider}/`), 'id must begin with the provider'));

/** Input of an operator: the whole list of models, the price of a dollar, or both ({@link changeOffer}). */
export const OfferInput = () =>
  z.object({
    models: z.optional(z.nullable(z.array(OfferedModel()))),
    randPerDollar: z.optional(z.nullable(z.number().check(z.positive(), z.maximum(1_000)))),
  });

const OFFER: OfferRule<Offer> = {
  entity: AiOffer,
  action: 'ai-offer.set',
  schema: OfferInput,
  parts: ['models', 'randPerDollar'],
};

/** Returns the built-in offer of a day, which applies until an operator changes it. */
export const builtInOffer = (randPerDollar: number, now: Date): Offer => ({
  models: modelsAt(now),
  randPerDollar,
});

/** Returns a reader of the current offer: the built-in models and the given price of a dollar, unless operators have replaced them. */
export const currentOffer = (deps: Deps, dollar: number): (() => Promise<Offer>) =>
  offerReader(deps, OFFER, ({ models, randPerDollar }) => {
    const builtIn = builtInOffer(randPerDollar ?? dollar, deps.now());
    return { ...builtIn, models: models ?? builtIn.models };
  });

/** For operators: sets the offer or a part of it. */
export const setOffer = (deps: Deps, given: z.output<ReturnType<typeof OfferInput>>) => changeOffer(deps, OFFER, given);

/** `created` of every model, in seconds. OpenAI's format requires a time, but providers publish none: the day of the first release. */
const CREATED = Date.UTC(2026, 10, 21) / 1000;

type ModelView = Output<typeof GetRoute>;

function viewModel({ id, provider, name, credits, price, steps = [] }: Model, randPerDollar: number): ModelView {
  const inRand = ({ input, output }: ListPrice) => ({
    input: randPerMillion(input, randPerDollar),
    output: randPerMillion(output, randPerDollar),
  });
  return {
    id,
    object: 'model',
    created: CREATED,
    owned_by: provider,
    name,
    credits,
    pricing_zar_per_million: inRand(price),
    ...(steps.length > 0
      ? { pricing_steps: steps.map((step) => ({ above_prompt_tokens: step.above, ...inRand(step.price) })) }
      : {}),
  };
}

/** GET /ai/v1/models */
export async function listModels(deps: { offer: () => Promise<Offer> }): Promise<Output<typeof ListRoute>> {
  const { models, randPerDollar } = await deps.offer();
  const data = models.map((model) => viewModel(model, randPerDollar));
  return { object: 'list', data, byok_providers: AI_PROVIDER_IDS.map((id) => ({ id, name: PROVIDERS[id].name })) };
}

/** GET /ai/v1/models/{id+}. Throws 404 for a model that {@link listModels} does not list. */
export async function getModel(
  deps: { offer: () => Promise<Offer> },
  _caller: Caller,
  { id }: Input<typeof GetRoute>,
): Promise<ModelView> {
  const { models, randPerDollar } = await deps.offer();
  const model = models.find((candidate) => candidate.id === id);
  if (!model) throw new ApiError('not_found', 'Model not found. GET /ai/v1/models lists the models.');
  return viewModel(model, randPerDollar);
}

/**
 * The provider and model that a caller's `<provider>/<model>` names. `model` is set if the offer has it, even if it is not sold on
 * credits.
 */
interface Choice {
  provider: Provider;
  upstream: string;
  model: Model | undefined;
}

/** Finds the provider and model that a caller named. Throws 400 for an unknown provider. */
export function chooseModel({ models }: Offer, id: string): Choice {
  const slash = id.indexOf('/');
  const providerId = id.slice(0, slash);
  if (!isProviderId(providerId)) {
    throw invalidField(
      'model',
      `has the unknown provider "${providerId}"; the providers are ${AI_PROVIDER_IDS.join(', ')}`,
    );
  }
  const model = models.find((candidate) => candidate.id === id);
  return { provider: PROVIDERS[providerId], upstream: model?.upstream ?? id.slice(slash + 1), model };
}
