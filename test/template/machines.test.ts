import validate from 'asl-validator';
import { StateMachine } from 'aws-local-stepfunctions';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { read, synthesize } from './synthesized.ts';

const { template } = synthesize({ stage: 'prod' });

const State = z.looseObject({
  Type: z.enum(['Task', 'Succeed', 'Choice', 'Wait', 'Pass']),
  Resource: z.string().optional(),
  ResultPath: z.string().nullish(),
  Next: z.string().optional(),
  Catch: z.array(z.object({ ErrorEquals: z.array(z.string()), ResultPath: z.string(), Next: z.string() })).optional(),
  Retry: z.array(z.object({ ErrorEquals: z.array(z.string()) })).optional(),
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
/** https://docs.aws.amazon.com/step-functions/latest/dg/bp-lambda-serviceexception.html */
const PASSING_FAILURES = [
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
];
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

  test('invokes only existing functions', () => {
    for (const [name, { Type, Resource = '' }] of states) {
      if (Type !== 'Task') continue;
      expect(template.byArn(Resource)?.type, name).toBe('AWS::Lambda::Function');
    }
  });

  test('repeats each step after what AWS says is a passing failure of Lambda', () => {
    for (const [name, { Type, Retry = [] }] of states) {
      const repeated = Retry.flatMap(({ ErrorEquals }) => ErrorEquals);
      if (Type !== 'Task' || repeated.includes('States.ALL')) continue;
      expect(repeated, name).toEqual(expect.arrayContaining(PASSING_FAILURES));
    }
  });

  test('passes no step output on except ids, errors, the last verdict, the build and whether work is left', () => {
    for (const [name, state] of states) {
      if (state.Type === 'Task')
        expect([null, '$.look', '$.progress', '$.step', '$.build', '$.failure'], name).toContain(state.ResultPath);
      for (const { ResultPath } of state.Catch ?? []) expect(ResultPath).toBe('$.error');
    }
  });
});

test('whichever step fails, the deployment is recorded as failed', () => {
  const deployment = machines.find(({ name }) => name.endsWith('deployment'));
  const caught = Object.entries(deployment?.definition.States ?? {}).filter(([, { Type }]) => Type === 'Task');
  expect(caught.map(([name]) => name)).toEqual([
    'Move',
    'AbandonMove',
    'Begin',
    'Build',
    'Poll',
    'Release',
    'Check',
    'Switch',
    'Succeed',
    'Prune',
    'Fail',
  ]);
  for (const [name, state] of caught) {
    if (['Fail', 'Move', 'AbandonMove'].includes(name)) continue;
    // Clean-up after the end does not change the result.
    const next = name === 'Prune' ? 'Done' : 'Fail';
    expect(state.Catch, name).toEqual([{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: next }]);
  }
});

/** Runs the deployment machine on these results of its steps; an error is thrown. Returns the steps that ran. */
async function deploy(results: Record<string, unknown[]>, input: object = {}) {
  const { definition } = machines.find(({ name }) => name.endsWith('deployment')) ?? expect.unreachable();
  const states = Object.keys(definition.States);
  const ran: string[] = [];
  const inputs: Record<string, unknown> = {};
  const handler = (name: string) => async (given: unknown) => {
    ran.push(name);
    inputs[name] = given;
    const result = results[name]?.shift() ?? { failed: false, again: false };
    if (result instanceof Error) throw result;
    return result;
  };
  const engine = new StateMachine(structuredClone(definition) as never, { validationOptions: { noValidate: true } });
  const overrides = {
    taskResourceLocalHandlers: Object.fromEntries(states.map((name) => [name, handler(name)])),
    waitTimeOverrides: { WaitForBuilder: 0, Queue: 0, WaitToMove: 0, WaitToRelease: 0, WaitToPublish: 0 },
    retryIntervalOverrides: { Move: 0, Switch: 0, Succeed: 0 },
  };
  const ids = { accountId: 'acc_1', applicationId: 'app_1', deploymentId: 'dep_1' };
  await engine.run({ ...ids, trigger: 'API', ...input }, { overrides: overrides as never }).result;
  return { ran, inputs };
}
const SUBMITTED = { failed: false, status: 'RUNNING', id: 'b:1', phases: [] };
const BUILT = { ...SUBMITTED, status: 'SUCCEEDED', phases: [{ type: 'BUILD', status: 'SUCCEEDED', seconds: 60 }] };
const BEGUN = { failed: false, jobUrl: 'https://job' };

test('a deployment passes its build’s phases on to the release', async () => {
  const queued = { ...SUBMITTED, status: 'QUEUED', pause: 30 };
  const { ran, inputs } = await deploy({ Begin: [BEGUN], Build: [SUBMITTED], Poll: [queued, SUBMITTED, BUILT] });
  expect(ran).toEqual(['Begin', 'Build', 'Poll', 'Poll', 'Poll', 'Release', 'Check', 'Switch', 'Succeed', 'Prune']);
  expect(inputs.Release).toMatchObject({ build: BUILT });
});

test('a release waits for its turn as long as it is told to, and a step that knows no turns goes on', async () => {
  const waiting = { failed: false, waiting: true, pause: 3 };
  const built = { Begin: [BEGUN], Build: [SUBMITTED], Poll: [BUILT] };
  const { ran, inputs } = await deploy({ ...built, Release: [waiting, waiting, { failed: false, waiting: false }] });
  expect(ran.slice(3)).toEqual(['Release', 'Release', 'Release', 'Check', 'Switch', 'Succeed', 'Prune']);
  expect(inputs.Release).toMatchObject({ build: BUILT });
  const older = await deploy({ Begin: [BEGUN], Build: [SUBMITTED], Poll: [BUILT], Release: [{ failed: false }] });
  expect(older.ran.slice(3)).toEqual(['Release', 'Check', 'Switch', 'Succeed', 'Prune']);
});

test('a move is repeated until it is done, and a step that fails for good is told so', async () => {
  const again = { done: false, waitSeconds: 1 };
  const done = { done: true, waitSeconds: 0 };
  expect((await deploy({ Move: [again, again, done] }, { trigger: 'MOVE' })).ran).toEqual(['Move', 'Move', 'Move']);
  const failing = Array.from({ length: 5 }, () => new Error('away'));
  const { ran, inputs } = await deploy({ Move: failing, AbandonMove: [done] }, { trigger: 'MOVE' });
  expect(ran.at(-1)).toBe('AbandonMove');
  expect(inputs.AbandonMove).toMatchObject({ error: { Error: 'Error' } });
});

test('a rollback is not built', async () => {
  const { ran } = await deploy({ Begin: [{ failed: false }] }, { trigger: 'ROLLBACK' });
  expect(ran).toEqual(['Begin', 'Check', 'Switch', 'Succeed', 'Prune']);
});

test.each(['Begin', 'Build', 'Poll', 'Release', 'Check', 'Switch'])(
  'a verdict of %s fails the deployment without an error',
  async (step) => {
    const verdict = { failed: true, reason: 'The new release answered 500.' };
    const results = { Begin: [BEGUN], Build: [SUBMITTED], Poll: [BUILT], [step]: [verdict] };
    const { ran, inputs } = await deploy(results);
    expect(ran.slice(-3)).toEqual([step, 'Fail', 'Prune']);
    expect(inputs.Fail).toMatchObject(['Build', 'Poll'].includes(step) ? { build: verdict } : { step: verdict });
  },
);

test('a build that finds no builder begins again with new access, for as long as its record says so', async () => {
  const refused = { failed: false, status: 'REFUSED' };
  const tooLate = { ...SUBMITTED, status: 'TIMED_OUT' };
  const again = { again: true, pause: 45 };
  const { ran, inputs } = await deploy({
    Begin: [BEGUN, BEGUN, BEGUN],
    Build: [refused, SUBMITTED, SUBMITTED],
    Poll: [tooLate, BUILT],
    Fail: [again, again],
  });
  // Nothing of the earlier builds is left in the state.
  expect(inputs.Begin).toEqual({ accountId: 'acc_1', applicationId: 'app_1', deploymentId: 'dep_1', trigger: 'API' });
  const rounds = ['Begin', 'Build', 'Fail', 'Begin', 'Build', 'Poll', 'Fail'];
  expect(ran).toEqual([...rounds, 'Begin', 'Build', 'Poll', 'Release', 'Check', 'Switch', 'Succeed', 'Prune']);
});

test.each([
  ['Switch', true],
  ['Succeed', true],
  ['Succeed', false],
])(
  'after errors of %s, a release is published again if the record of its failure says so: %s',
  async (step, publish) => {
    let isAway = true;
    const failing = Object.assign([], { shift: () => (isAway ? new Error('away') : undefined) });
    const recording = Object.assign([], {
      shift() {
        isAway = false;
        return { again: false, publish, pause: 60 };
      },
    });
    const built = { Begin: [BEGUN], Build: [SUBMITTED], Poll: [BUILT] };
    const { ran } = await deploy({ ...built, [step]: failing, Fail: recording });
    expect(ran.slice(ran.indexOf('Fail'))).toEqual(['Fail', ...(publish ? ['Switch', 'Succeed'] : []), 'Prune']);
  },
);

test('an execution that publishes a release again neither builds nor checks it', async () => {
  expect((await deploy({}, { trigger: 'PUBLISH' })).ran).toEqual(['Switch', 'Succeed', 'Prune']);
});

test('a step of a deployment that AWS throttles is repeated, and does not fail the deployment', () => {
  const deployment = machines.find(({ name }) => name.endsWith('deployment'));
  const Step = z.object({ Retry: z.array(z.object({ ErrorEquals: z.array(z.string()) })) });
  for (const name of ['Begin', 'Build', 'Poll', 'Release', 'Check', 'Switch', 'Succeed', 'Prune', 'Fail']) {
    const retried = Step.parse(deployment?.definition.States[name]).Retry.flatMap(({ ErrorEquals }) => ErrorEquals);
    // Lambda's, and those of CloudWatch Logs and Route 53; `Fail` repeats everything.
    const refusals =
      name === 'Fail' ? ['States.ALL'] : ['TooManyRequestsException', 'ThrottlingException', 'Throttling'];
    expect(retried, name).toEqual(expect.arrayContaining(refusals));
  }
});
