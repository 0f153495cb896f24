import validate from 'asl-validator';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { read, synthesize } from './synthesized.ts';

const { template } = synthesize({ stage: 'prod' });

const State = z.looseObject({
  Type: z.enum(['Task', 'Succeed', 'Choice', 'Wait']),
  Resource: z.string().optional(),
  ResultPath: z.string().nullish(),
  Next: z.string().optional(),
  Catch: z.array(z.object({ ErrorEquals: z.array(z.string()), ResultPath: z.string(), Next: z.string() })).optional(),
});
const Definition = z.object({
  StartAt: z.string(),
  TimeoutSeconds: z.number(),
  States: z.record(z.string(), State),
});
const Machine = z.object({
  DefinitionString: z.string(),
  TracingConfiguration: z.object({ Enabled: z.literal(true) }),
  LoggingConfiguration: z.object({ IncludeExecutionData: z.literal(false), Level: z.literal('ALL') }),
});
const machines = read(template, 'AWS::StepFunctions::StateMachine', Machine).map((machine) => ({
  ...machine,
  definition: Definition.parse(JSON.parse(machine.DefinitionString)),
}));

test('there is one state machine for each long-running process', () => {
  expect(machines.map(({ name }) => name.replace('hosting-prod-', '')).sort()).toEqual([
    'database',
    'deployment',
    'domain',
    'door',
    'hosting',
    'teardown',
  ]);
});

describe.each(machines)('$name', ({ DefinitionString, definition }) => {
  const states = Object.entries(definition.States);

  test('is valid Amazon States Language', () => {
    const { isValid, errorsText } = validate(JSON.parse(DefinitionString));
    expect(isValid, isValid ? '' : errorsText()).toBe(true);
  });

  test('uses only features of the local engine', () => {
    const lacking = [
      /JSONata/i,
      /\{%/,
      /\$\$\./,
      /"Assign"/,
      /waitForTaskToken/,
      /"Arguments"/,
      /"QueryLanguage"/,
      /"\$[a-z]\w*"/,
    ];
    for (const pattern of lacking) expect(DefinitionString).not.toMatch(pattern);
  });

  test('invokes only existing functions or the build', () => {
    for (const [name, { Type, Resource = '' }] of states) {
      if (Type !== 'Task') continue;
      const found = Resource === 'arn:aws:states:::codebuild:startBuild.sync' || template.byArn(Resource)?.type;
      expect(found, name).toBeTruthy();
    }
  });

  test('passes no step output on except ids, the error, the job’s address and whether work is left', () => {
    for (const [name, state] of states) {
      if (state.Type === 'Task') expect([null, '$.look', '$.progress', '$.build'], name).toContain(state.ResultPath);
      for (const { ResultPath } of state.Catch ?? []) expect(ResultPath).toBe('$.error');
    }
  });

  test('has a time limit', () => {
    // A registration may take days.
    const most = definition.StartAt === 'Submit' ? 14 * 86_400 : 3600;
    expect(definition.TimeoutSeconds).toBeLessThanOrEqual(most);
  });
});

test('whichever step fails, the deployment is recorded as failed', () => {
  const deployment = machines.find(({ name }) => name.endsWith('deployment'));
  const caught = Object.entries(deployment?.definition.States ?? {}).filter(([, { Type }]) => Type === 'Task');
  expect(caught.map(([name]) => name)).toEqual([
    'Begin',
    'Build',
    'Release',
    'Check',
    'Switch',
    'Succeed',
    'Prune',
    'Fail',
  ]);
  for (const [name, state] of caught) {
    if (name === 'Fail') continue;
    // Clean-up after the end does not change the result.
    const next = name === 'Prune' ? 'Done' : 'Fail';
    expect(state.Catch, name).toEqual([{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: next }]);
  }
});
