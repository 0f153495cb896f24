import { expect, test } from 'vitest';
import { simulation } from '../../test/simulation/simulation.ts';
import { adoptCustomerDomain, saveHostingServer, setOffer } from './settings.ts';

const caller = { accountId: '', keyId: '' };
const secrets = { seal: async () => ({}), unseal: async () => '' };
const deps = { ...simulation().steady.deps, secrets };
const server = { reason: 'r', name: 'web-1', baseUrl: 'https://panel.example', user: 'root', open: true };

test.each<[Record<string, unknown>, string]>([
  [{ name: 'Web 1' }, 'name: must be lower-case letters, digits and hyphens inside, e.g. web-1'],
  [{ user: 'Root' }, 'user: must be lower-case letters and digits'],
  [{ baseUrl: 'https://panel.example/' }, 'baseUrl: must be an address without a slash at its end'],
  [{}, 'token: is required for a new server'],
  [{ open: undefined, token: 't' }, 'open: is required for a new server'],
])('names the invalid field of a server and the values that it accepts: %j', async (change, message) => {
  const saved = saveHostingServer(deps as never, caller, { ...server, ...change } as never);
  await expect(saved).rejects.toMatchObject({ code: 'invalid_request', message });
});

test('reports the first problem of an offer and of an adopted domain in the wording of the API', async () => {
  const offered = setOffer(deps, caller, { reason: 'r', name: 'plans', offer: { plans: 5 } });
  await expect(offered).rejects.toMatchObject({ message: 'offer.plans: must be an array' });
  const unknown = setOffer(deps, caller, { reason: 'r', name: 'ai', offer: { model: [] } });
  await expect(unknown).rejects.toMatchObject({ message: 'offer.model: is not a field of this operation' });
  const adopted = { id: 'acc_1', domain: 'x', reason: 'r', registrant: {}, records: [] };
  await expect(adoptCustomerDomain(deps as never, caller, adopted as never)).rejects.toMatchObject({
    message: 'registrant.name: is required',
  });
});
