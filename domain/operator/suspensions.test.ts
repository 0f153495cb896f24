import { expect, test } from 'vitest';
import { ApiKey, Credential } from '../../table/entities/accounts.ts';
import { Webhook } from '../../table/entities/webhooks.ts';
import { accountSimulation } from '../../test/simulation/accounts.ts';
import { interruptEach } from '../../test/simulation/simulation.ts';
import type { Deps } from '../deps.ts';
import { applySuspension } from '../processes/suspension.ts';
import { setSuspension } from './suspensions.ts';

/** An account with a key and a webhook endpoint, and what an operator does to them. */
async function harness() {
  const simulated = await accountSimulation();
  const { accountId, memory, addKey, addWebhook, flow, clock } = simulated;
  await addKey();
  await addWebhook();
  const keys = () => memory.items('KEY').map((item) => ApiKey.parse(item));
  const endpoint = () => Webhook.parse(memory.items('WEBHOOK')[0]);
  const targets = { keyId: keys()[0]?.id ?? '', endpointId: endpoint().id };
  const set = async (deps: Deps, target: 'keyId' | 'endpointId', reason: string | null) => {
    const request = { id: accountId, [target]: targets[target], suspended: reason !== null, reason: reason ?? 'Over.' };
    return (await setSuspension(deps, { accountId: '', keyId: '' }, request)).data.suspended;
  };
  return {
    ...simulated,
    set,
    keys,
    endpoint,
    halves: () => memory.items('CREDENTIAL').map((item) => Credential.parse(item).keySuspended),
    entries: () => memory.items('AUDIT').map(({ action }) => action),
    /** The stream and the sweep apply the account's suspension. */
    settle: async () => {
      await flow();
      clock.now += 61_000;
      await simulated.sweepAt(0);
    },
  };
}

test('a key is suspended with both halves, keeps the start of its suspension, and is resumed', async () => {
  const { deps, set, keys, halves, entries, clock } = await harness();
  expect(await set(deps, 'keyId', null)).toBe(false);
  expect(await set(deps, 'keyId', 'Leaked.')).toBe(true);
  const since = new Date(clock.now).toISOString();
  clock.now += 1000;
  expect([await set(deps, 'keyId', 'Leaked.'), await set(deps, 'keyId', 'Abused.')]).toEqual([true, true]);
  expect(keys()).toMatchObject([{ suspension: { reason: 'Abused.', since } }]);
  expect(halves()).toEqual(['Abused.', 'Abused.']);
  expect(await set(deps, 'keyId', null)).toBe(false);
  expect([keys()[0]?.suspension, ...halves()]).toEqual([undefined, undefined, undefined]);
  expect(entries()).toEqual(['account.opened', 'key.suspended', 'key.suspended', 'key.resumed']);
});

test.each(['keyId', 'endpointId'])('an unknown %s is 404', async (target) => {
  const { deps, accountId } = await harness();
  const request = { id: accountId, [target]: 'none', suspended: true, reason: 'Abuse.' };
  await expect(setSuspension(deps, { accountId: '', keyId: '' }, request)).rejects.toMatchObject({ code: 'not_found' });
});

type Harness = Awaited<ReturnType<typeof harness>>;
const suspendEndpoint = ({ set }: Harness, deps: Deps) => set(deps, 'endpointId', 'Floods a host.');
const resumeEndpoint = ({ set }: Harness, deps: Deps) => set(deps, 'endpointId', null);
const suspendAccount = async ({ suspend, flow }: Harness) => {
  await suspend('Abuse.');
  await flow();
};
const resumeAccount = async ({ suspend, flow }: Harness) => {
  await suspend(null);
  await flow();
};

const nothing = async () => undefined;

test.each([
  ['suspended', suspendEndpoint, 'open', nothing, [], true],
  ['resumed', resumeEndpoint, 'open', nothing, [suspendEndpoint], false],
  ['resumed', resumeEndpoint, 'suspended long since', nothing, [suspendAccount, suspendEndpoint], true],
  ['suspended', suspendEndpoint, 'suspended', suspendAccount, [], true],
  ['resumed', resumeEndpoint, 'suspended', suspendAccount, [suspendEndpoint], true],
  ['suspended', suspendEndpoint, 'resumed', resumeAccount, [suspendAccount], true],
  ['resumed', resumeEndpoint, 'resumed', resumeAccount, [suspendAccount, suspendEndpoint], false],
] as const)(
  'an endpoint that is %s as its account is %s holds its deliveries as long as either is suspended',
  async (_what, change, _account, besides, earlier, isHeld) => {
    await interruptEach(async (interruption) => {
      const here = await harness();
      for (const each of earlier) await each(here, here.deps);
      await here.settle();
      const faults = interruption.by(() => besides(here));
      await change(here, here.startProcess({ faults }).deps);
      if (!interruption.isReached) await besides(here);
      await here.settle();
      const { heldSince, suspension } = here.endpoint();
      expect([heldSince !== undefined, suspension !== undefined], `before call ${interruption.step}`).toEqual([
        isHeld,
        change === suspendEndpoint,
      ]);
    });
  },
);

test.each([
  ['suspended', suspendEndpoint, [suspendAccount], true],
  ['resumed', resumeEndpoint, [suspendAccount, suspendEndpoint], false],
] as const)(
  'an endpoint that is %s while the end of the suspension of its account is applied stays so, without another run',
  async (_what, change, earlier, isHeld) => {
    await interruptEach(async (interruption) => {
      const here = await harness();
      for (const each of earlier) await each(here, here.deps);
      await here.suspend(null);
      const faults = interruption.by(() => change(here, here.deps));
      await applySuspension(here.startProcess({ faults }).deps, here.accountId);
      if (!interruption.isReached) await change(here, here.deps);
      expect(here.endpoint().heldSince !== undefined, `before call ${interruption.step}`).toBe(isHeld);
    });
  },
);
