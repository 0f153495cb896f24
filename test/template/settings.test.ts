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

/** Settings that differ from the defaults, one at a time; those of other tests, whose templates are synthesized once. */
const CHANGES = {
  aiCapacity: { aiCapacity: 'managed' },
  backupRegion: { backupRegion: 'eu-west-1' },
  canary: { canary: 'off' },
  cells: { account: '123456789012', cells: CELLS },
  lambdaConcurrency: { lambdaConcurrency: 100 },
  mailFrom: { mailFrom: 'cognito' },
  monitoring: { monitoring: 'basic' },
  table: {
    table: RESTORED,
    tableStream: `arn:aws:dynamodb:af-south-1:123456789012:table/${RESTORED}/stream/2026-11-23T10:30:00.000`,
  },
} as const satisfies Record<string, SettingsInput>;

test.each(Object.entries(CHANGES))(
  'a change of %s, or back, takes no export that a deployed stack imports',
  (_, change) => {
    const usual = synthesize({ stage: 'prod' });
    const changed = synthesize({ stage: 'prod', ...change });
    expect(takenExports(usual, changed)).toEqual([]);
    expect(takenExports(changed, usual)).toEqual([]);
  },
);
