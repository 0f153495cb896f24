import { expect, test } from 'vitest';
import { simulation } from '../test/simulation/simulation.ts';
import { currentOffer, setOffer } from './ai/models.ts';

test('a part of an offer is set and restored without the others', async () => {
  const { deps } = simulation().steady;
  const now = async () => {
    const { models, randPerDollar } = await currentOffer(deps, 18)();
    return [models.length > 0, randPerDollar];
  };
  expect(await setOffer(deps, { randPerDollar: 19.5 })).toEqual({ models: 'built-in', randPerDollar: 19.5 });
  expect(await setOffer(deps, { models: [] })).toEqual({ models: 0, randPerDollar: 19.5 });
  expect(await now()).toEqual([false, 19.5]);
  expect(await setOffer(deps, { randPerDollar: 20 })).toEqual({ models: 0, randPerDollar: 20 });
  expect(await setOffer(deps, { models: null })).toEqual({ models: 'built-in', randPerDollar: 20 });
  expect(await now()).toEqual([true, 20]);
  expect(await setOffer(deps, {})).toEqual({ models: 'built-in', randPerDollar: 'built-in' });
  expect(await now()).toEqual([true, 18]);
});

test('of two concurrent changes none is lost', async () => {
  const { deps } = simulation().steady;
  await Promise.all([setOffer(deps, { randPerDollar: 19.5 }), setOffer(deps, { models: [] })]);
  expect(await currentOffer(deps, 18)()).toEqual({ models: [], randPerDollar: 19.5 });
});
