import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { protectedStacksOf, protectStacks } from './protection.ts';

/** CloudFormation with stacks in given states. */
function cloudFormation(states: Record<string, [status: string, isProtected?: boolean]>) {
  const updated: string[] = [];
  const query = async (_service: string, region: string, operation: string, input: Record<string, string> = {}) => {
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
  const stacks = names.map((name) => ({ name, region: 'af-south-1' }));
  expect(await protectStacks({ query }, stacks)).toEqual(['created', 'updated', 'restored']);
  expect(updated).toEqual(['created', 'updated', 'restored'].map((name) => `af-south-1 ${name} true`));
});

test('an error of CloudFormation is not taken for a missing stack', async () => {
  const query = async () => {
    throw new Error('AccessDenied');
  };
  await expect(protectStacks({ query }, [{ name: 'a', region: 'b' }])).rejects.toThrow('AccessDenied');
});

test('finds the stacks of a protected stage in an assembly, with their regions', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assembly-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const stack = (stackName: string, stage: string, region: string) => ({
    type: 'aws:cloudformation:stack',
    environment: `aws://unknown-account/${region}`,
    properties: { stackName, templateFile: 'x', tags: { stage } },
  });
  const artifacts = {
    assets: { type: 'cdk:asset-manifest', properties: { file: 'x' } },
    table: stack('hosting-prod-table', 'prod', 'af-south-1'),
    firewall: stack('hosting-prod-firewall-af-south-1', 'prod', 'us-east-1'),
    dev: stack('hosting-dev-table', 'dev', 'af-south-1'),
  };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ version: '1', artifacts }));
  expect(protectedStacksOf(folder)).toEqual([
    { name: 'hosting-prod-table', region: 'af-south-1' },
    { name: 'hosting-prod-firewall-af-south-1', region: 'us-east-1' },
  ]);
});
