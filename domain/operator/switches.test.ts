import { expect, test } from 'vitest';
import type { SwitchName } from '../../contract/switches/switches.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { listSwitches, setSwitch } from './switches.ts';

const CALLER = { accountId: 'acc_1', keyId: '' };

test('several providers can be off at the same time, and each is turned on separately', async () => {
  const { deps } = simulation().steady;
  const set = (target: string | undefined, off: boolean, name: SwitchName = 'ai-provider') =>
    setSwitch(deps, CALLER, { name, off, reason: 'A drill.', message: 'Away.', ...(target ? { target } : {}) });
  const providers = async () => {
    const { data } = await listSwitches(deps);
    return data.flatMap(({ name, target, off }) => (name === 'ai-provider' ? [[target, off]] : []));
  };
  expect(await providers()).toEqual([[null, false]]);
  await set('openai', true);
  await set('anthropic', true);
  expect(await providers()).toEqual([
    ['openai', true],
    ['anthropic', true],
    [null, false],
  ]);
  await set('openai', false);
  expect(await providers()).toEqual([
    ['anthropic', true],
    [null, false],
  ]);
  await expect(set('Anthropic', true)).rejects.toThrow('the providers are openai, anthropic');
  await expect(set(undefined, true)).rejects.toThrow('name a provider');
  await expect(set('openai', false, 'deployments')).rejects.toThrow('this switch has no target');
});
