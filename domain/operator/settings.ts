import type * as z from 'zod/mini';
import type {
  adoptCustomerDomain as AdoptRoute,
  moveHostingAccount as MoveRoute,
  setOffer as OfferRoute,
  saveHostingServer as ServerRoute,
} from '../../contract/operator/settings.ts';
import { findIgnoredFields } from '../../contract/reference/ignored-fields.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { OfferInput, setOffer as setAiOffer } from '../ai/models.ts';
import { PlansInput, setPlans } from '../billing/plans.ts';
import type { Caller, Deps } from '../deps.ts';
import { moveHosting } from '../hosting/move.ts';
import { ServerInput, setServer } from '../hosting/servers.ts';
import { type AdoptionDeps, AdoptionInput, adoptDomain } from '../processes/adopt-domain.ts';
import { setTlds, TldsInput } from '../registrar/tlds.ts';
import { parseOperatorInput, refuseUnknownFields } from './manual-input.ts';
import { respondWith } from './respond-with.ts';

/**
 * Parses an input with the schema of the domain function that applies it. Throws 400 with the first problem or unknown field.
 *
 * @param parents the path of the input in the request's body; empty for the body itself
 */
function parse<T>(schema: z.ZodMiniType<T>, input: unknown, ...parents: string[]): T {
  const data = parseOperatorInput(schema, input, parents);
  refuseUnknownFields(findIgnoredFields(schema, input), parents);
  return data;
}

/** PUT /operator/v1/offers/{name} */
export async function setOffer(
  deps: Deps,
  _: Caller,
  { name, offer }: Input<typeof OfferRoute>,
): Promise<Output<typeof OfferRoute>> {
  const set = {
    ai: () => setAiOffer(deps, parse(OfferInput(), offer, 'offer')),
    domains: () => setTlds(deps, parse(TldsInput(), offer, 'offer')),
    plans: () => setPlans(deps, parse(PlansInput(), offer, 'offer')),
  };
  return { data: { ...(await set[name]()) } };
}

/** PUT /operator/v1/hosting-servers/{name} */
export async function saveHostingServer(
  deps: Deps & { secrets: Secrets },
  _: Caller,
  { reason: _reason, ...server }: Input<typeof ServerRoute>,
): Promise<Output<typeof ServerRoute>> {
  return { data: await setServer(deps, parse(ServerInput, server)) };
}

/** PUT /operator/v1/accounts/{id}/hosting/{subscriptionId}/server */
export async function moveHostingAccount(
  deps: Deps,
  _: Caller,
  { id: accountId, subscriptionId: id, server }: Input<typeof MoveRoute>,
): Promise<Output<typeof MoveRoute>> {
  await moveHosting(deps, { accountId, id, server });
  return { data: { id, server } };
}

/** POST /operator/v1/accounts/{id}/domains */
export async function adoptCustomerDomain(
  deps: AdoptionDeps,
  _: Caller,
  { id: accountId, domain, registrant, records }: Input<typeof AdoptRoute>,
): Promise<Output<typeof AdoptRoute>> {
  const input = parse(AdoptionInput(), { accountId, domain, registrant, records });
  return await respondWith(
    deps,
    (shared) => adoptDomain(shared, input),
    (data) => ({ data }),
  );
}
