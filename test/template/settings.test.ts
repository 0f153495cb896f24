import { expect, test } from 'vitest';
import type { SettingsInput } from '../../lib/config.ts';
import { CELLS, synthesize } from './synthesized.ts';

/**
 * CloudFormation refuses to remove or change an export that a deployed stack imports, and stacks are updated one after the
 * other: the others are still as the settings of before made them, those that left the app included.
 */

type Installation = ReturnType<typeof synthesize>;
type Template = Installation['stacks'][number]['template'];

const exportsOf = ({ Outputs = {} }: Template): [name: string, value: string][] =>
  Object.values(Outputs).flatMap(({ Export, Value }) =>
    Export ? [[Export.Name, JSON.stringify(Value)] as [string, string]] : [],
  );

const importsOf = (template: Template): string[] =>
  [...JSON.stringify(template).matchAll(/"Fn::ImportValue":"([^"]+)"/g)].map(([, name = '']) => name);

/** Returns the exports that an update takes from a deployed stack. */
function takenExports(before: Installation, after: Installation): string[] {
  const kept = new Map(after.stacks.flatMap(({ template }) => exportsOf(template)));
  const updated = new Set(after.stacks.map(({ stackName }) => stackName));
  return before.stacks
    .filter(({ stackName }) => updated.has(stackName))
    .flatMap(({ stackName, template }) =>
      exportsOf(template)
        .filter(([name, value]) => kept.get(name) !== value)
        .flatMap(([name]) =>
          before.stacks
            .filter((other) => importsOf(other.template).includes(name))
            .map((other) => `${stackName} takes ${name} from ${other.stackName}`),
        ),
    );
}

const RESTORED = 'hosting-prod-20261123100000';

/**
 * Settings that differ from the defaults. Those of one synthesis do not hide each other: `monitoring`, which leaves out stacks that import,
 * has another one than those that change exports.
 */
const CHANGES = [
  {
    account: '123456789012',
    aiCapacity: 'managed',
    backupRegion: 'eu-west-1',
    cells: CELLS,
    mailFrom: 'cognito',
    table: RESTORED,
    tableStream: `arn:aws:dynamodb:af-south-1:123456789012:table/${RESTORED}/stream/2026-11-23T10:30:00.000`,
  },
  { canary: 'off', lambdaConcurrency: 100, monitoring: 'basic' },
] as const satisfies SettingsInput[];

test.each(CHANGES.map((change) => [Object.keys(change).join(', '), change] as const))(
  'a change of %s, or back, takes no export that a deployed stack imports',
  (_, change) => {
    const usual = synthesize({ stage: 'prod' });
    const changed = synthesize({ stage: 'prod', ...change });
    expect(takenExports(usual, changed)).toEqual([]);
    expect(takenExports(changed, usual)).toEqual([]);
  },
);
