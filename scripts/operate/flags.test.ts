import { expect, test } from 'vitest';
import { readExpiredFlags } from '../../domain/operator/flags.ts';
import { isOn } from '../../domain/switches/flags.ts';
import { SwitchState } from '../../table/entities/switches.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { operateFlags } from './flags.ts';

const name = 'ai-keep-alive';
const reason = 'Case 4711.';

test('operators set a flag for all or for one account, give it an owner and an end, and end what they said', async () => {
  const { steady, memory } = simulation();
  const { deps } = steady;
  const act = (positionals: string[], options: object = {}) => operateFlags(deps, positionals, { reason, ...options });
  const [first] = await act(['list'], { reason: undefined });
  expect(await act(['set', name], { share: '0', owner: 'platform', ends: '2026-01-31' })).toMatchObject([
    { share: 0, owner: 'platform', ends: '2026-01-31', expired: true },
  ]);
  await act(['set', name], { account: 'acc_1', on: 'true' });
  const { flags = {} } = (await deps.table.get(SwitchState, {})) ?? {};
  expect(['acc_1', 'acc_2'].map((id) => isOn(flags, name, id))).toEqual([true, false]);
  // The ticket goes by the day that operators set.
  expect(await readExpiredFlags(deps)).toEqual([name]);
  await act(['set', name], { ends: '2026-02-01' });
  expect(await readExpiredFlags(deps)).toEqual([]);
  expect(await act(['end', name])).toEqual([first]);
  expect(memory.items('AUDIT').map((item) => [item.action, item.reason])).toEqual(Array(5).fill(['flag.set', reason]));
});

test('what the API refuses is refused', async () => {
  const { deps } = simulation().steady;
  for (const [positionals, options] of [
    [['set', 'no-such-flag'], { share: '50' }],
    [['set', name], { share: '101' }],
    [['set', name], { account: 'acc_1' }],
    [['set', name], { ends: 'soon' }],
    [['set', name], {}],
    [['set', name], { share: '50', reason: '' }],
    [['remove', name], {}],
  ] as const)
    await expect(operateFlags(deps, [...positionals], { reason, ...options })).rejects.toThrow();
});
