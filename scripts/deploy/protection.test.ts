import { expect, test } from 'vitest';
import { CELLS, synthesize } from '../../test/template/synthesized.ts';
import { describeOthers, protectedStacksOf, protectStacks } from './protection.ts';

/** CloudFormation with stacks in given states. */
function cloudFormation(states: Record<string, [status: string, isProtected?: boolean]>) {
  const updated: string[] = [];
  const query = async (_service: string, region: string, operation: string, input: Record<string, string> = {}) => {
    if (operation === 'GetCallerIdentity') return { Account: '111111111111' };
    const name = input.StackName ?? '';
    const [status, isProtected = false] = states[name] ?? [];
    if (!status) throw new Error(`Stack with id ${name} does not exist`);
    if (operation === 'UpdateTerminationProtection') {
      updated.push(`${region} ${name} ${input.EnableTerminationProtection}`);
      return {};
    }
    return {
      Stacks: { member: [{ StackStatus: status, EnableTerminationProtection: String(isProtected) }] },
    };
  };
  return { query, updated };
}

test('stacks are protected once they exist, and not while their creation can still be repeated', async () => {
  const { query, updated } = cloudFormation({
    created: ['CREATE_COMPLETE'],
    updated: ['UPDATE_COMPLETE'],
    restored: ['UPDATE_ROLLBACK_COMPLETE'],
    protected: ['UPDATE_COMPLETE', true],
    failed: ['ROLLBACK_COMPLETE'],
    stuck: ['ROLLBACK_FAILED'],
    reviewed: ['REVIEW_IN_PROGRESS'],
    deleted: ['DELETE_COMPLETE'],
  });
  const names = ['created', 'updated', 'restored', 'protected', 'failed', 'stuck', 'reviewed', 'deleted', 'missing'];
  const stacks = names.map((name) => ({ name, region: 'af-south-1', account: undefined }));
  expect((await protectStacks({ query }, stacks)).done).toEqual(['created', 'updated', 'restored']);
  expect(updated).toEqual(['created', 'updated', 'restored'].map((name) => `af-south-1 ${name} true`));
});

test('an error of CloudFormation is not taken for a missing stack', async () => {
  const query = async () => {
    throw new Error('AccessDenied');
  };
  await expect(protectStacks({ query }, [{ name: 'a', region: 'b', account: undefined }])).rejects.toThrow(
    'AccessDenied',
  );
});

test('a stack of another account is named, and not taken for a missing one', async () => {
  const { query, updated } = cloudFormation({ home: ['CREATE_COMPLETE'], cell: ['CREATE_COMPLETE'] });
  const home = { name: 'home', region: 'af-south-1', account: '111111111111' };
  const cell = { name: 'cell', region: 'af-south-1', account: '222222222222' };
  expect(await protectStacks({ query }, [home, cell])).toEqual({ done: ['home'], elsewhere: [cell] });
  expect(updated).toEqual(['af-south-1 home true']);
});

test('of another account one line says what deploys and protects its stacks', () => {
  const { manifest } = synthesize({ stage: 'prod', account: '123456789012', cells: CELLS });
  const cells = protectedStacksOf(manifest).filter(({ account }) => account === '222222222222');
  const text = (count: number) =>
    `Not looked at: ${count} stacks of the account 222222222222. With its credentials: npm run deploy -- '*-cell-b-*' …`;
  expect(describeOthers(cells)).toEqual([text(cells.length)]);
  expect(describeOthers([])).toEqual([]);
});

test('finds every stack of a protected stage, with its region and account, and none of another stage', () => {
  const account = '123456789012';
  const { stacks, manifest } = synthesize({ stage: 'prod', account, cells: CELLS });
  const found = protectedStacksOf(manifest);
  expect(found.map(({ name }) => name).sort()).toEqual(stacks.map(({ stackName }) => stackName).sort());
  expect(found).toContainEqual({ name: 'hosting-prod-table', region: 'af-south-1', account });
  expect(found).toContainEqual({ name: 'hosting-prod-cell-b-apps', region: 'eu-west-1', account: '222222222222' });
  const [first] = protectedStacksOf(synthesize({ stage: 'prod' }).manifest);
  expect(first?.account).toBeUndefined();
  expect(protectedStacksOf(synthesize({}).manifest)).toEqual([]);
});
