import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { call } from '../engines/wire.ts';
import { FunctionError } from '../lambda/invocations.ts';
import type { Json, JsonObject } from '../template/intrinsics.ts';
import type { Resource, Template } from '../template/template.ts';
import { startStepFunctions } from './step-functions.ts';

const MACHINE = 'arn:aws:states:af-south-1:000000000000:stateMachine:m';
const EXECUTION = 'arn:aws:states:af-south-1:000000000000:execution:m:one';
const fn = (name: string) => `arn:aws:lambda:af-south-1:000000000000:function:${name}`;

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'executions-'));
  ends.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Waits until the file of the only execution has a text. @returns the file */
async function saved(dataDir: string, text: string): Promise<string> {
  const folder = join(dataDir, 'executions');
  const [file = ''] = readdirSync(folder).map((name) => join(folder, name));
  while (!readFileSync(file, 'utf8').includes(text)) await sleep(5);
  return file;
}

const templateOf = (definition: JsonObject): Template => ({
  resources: (type) => {
    const machine: Resource = {
      type,
      stack: 'S',
      account: '000000000000',
      logicalId: 'M',
      name: 'm',
      arn: MACHINE,
      ref: MACHINE,
      properties: { DefinitionString: JSON.stringify(definition) },
    };
    return type === 'AWS::StepFunctions::StateMachine' ? [machine] : [];
  },
  byArn: () => undefined,
  asset: () => undefined,
  output: () => null,
});

type Functions = Record<string, (input: Json) => Json | Promise<Json>>;

async function machine(definition: JsonObject, functions: Functions, dataDir = directory()) {
  const standIn = await startStepFunctions({
    template: templateOf(definition),
    dataDir,
    port: 0,
    lambda: { invoke: async (arn, input) => (await functions[arn.split(':').at(-1) ?? '']?.(input)) ?? null },
  });
  ends.push(() => standIn.stop());
  const ask = (operation: string, input: object) => call(standIn.url, 'states', operation, input);
  return {
    stop: standIn.stop,
    ask,
    start: (input: string) => ask('StartExecution', { stateMachineArn: MACHINE, name: 'one', input }),
    async ended(): Promise<JsonObject> {
      for (;;) {
        const execution = await ask('DescribeExecution', { executionArn: EXECUTION });
        if (execution.status !== 'RUNNING') return execution;
        await sleep(10);
      }
    },
  };
}

const task = (name: string, rest: JsonObject): JsonObject => ({
  Type: 'Task',
  Resource: fn(name),
  ResultPath: null,
  ...rest,
});
const two: JsonObject = {
  StartAt: 'First',
  TimeoutSeconds: 60,
  States: { First: task('first', { Next: 'Second' }), Second: task('second', { End: true }) },
};

test('runs an execution’s functions in order and returns its output', async () => {
  const seen: Json[] = [];
  const { start, ended, ask } = await machine(two, {
    first: (input) => seen.push(input),
    second: (input) => seen.push(input),
  });
  await start('{"id":"x"}');
  expect(await ended()).toMatchObject({ status: 'SUCCEEDED', output: '{"id":"x"}' });
  expect(seen).toEqual([{ id: 'x' }, { id: 'x' }]);
  const list = await ask('ListExecutions', { stateMachineArn: MACHINE, statusFilter: 'SUCCEEDED' });
  expect(list.executions).toHaveLength(1);
});

test('starts only one execution per name', async () => {
  let release = (): void => {};
  const held = new Promise<null>((resolve) => {
    release = () => resolve(null);
  });
  const { start, ended } = await machine(two, { first: () => held, second: () => null });
  const [one, again] = await Promise.all([start('{}'), start('{}')]);
  expect(again).toEqual(one);
  await expect(start('{"other":1}')).rejects.toMatchObject({ name: 'ExecutionAlreadyExists' });
  release();
  await ended();
  await expect(start('{}')).rejects.toMatchObject({ name: 'ExecutionAlreadyExists' });
});

test('an execution whose start a full disk does not take can be started again', async () => {
  const dataDir = directory();
  const { start, ended } = await machine(two, { first: () => null, second: () => null }, dataDir);
  // Stands for the full disk, which is hard to have in a test: nothing can be written to this file.
  const file = join(dataDir, 'executions', 'm.one.json');
  mkdirSync(file);
  const report = vi.spyOn(console, 'error').mockReturnValue();
  await expect(start('{}')).rejects.toMatchObject({ name: 'InternalServerException' });
  expect(report).toHaveBeenCalledOnce();
  rmSync(file, { recursive: true });
  await start('{}');
  expect((await ended()).status).toBe('SUCCEEDED');
});

test('catches a function’s error by its type and passes on the cause', async () => {
  const seen: Json[] = [];
  const definition: JsonObject = {
    StartAt: 'Work',
    States: {
      Work: task('work', {
        Catch: [{ ErrorEquals: ['Unlucky'], ResultPath: '$.error', Next: 'Record' }],
        End: true,
      }),
      Record: task('record', { End: true }),
    },
  };
  const { start, ended } = await machine(definition, {
    work: () => {
      throw new FunctionError({ errorType: 'Unlucky', errorMessage: 'it rained' });
    },
    record: (input) => seen.push(input),
  });
  await start('{"id":1}');
  expect((await ended()).status).toBe('SUCCEEDED');
  expect(seen).toEqual([
    { id: 1, error: { Error: 'Unlucky', Cause: '{"errorType":"Unlucky","errorMessage":"it rained"}' } },
  ]);
});

test('resumes a running execution from its current state after a restart', async () => {
  const dataDir = directory();
  let calls = 0;
  const before = await machine(two, { first: () => ++calls, second: () => new Promise(() => {}) }, dataDir);
  await before.start('{"id":"y"}');
  await saved(dataDir, '"Second"');
  await before.stop();
  const seen: Json[] = [];
  const after = await machine(two, { first: () => ++calls, second: (input) => seen.push(input) }, dataDir);
  expect(await after.ended()).toMatchObject({ status: 'SUCCEEDED', output: '{"id":"y"}' });
  expect([calls, seen]).toEqual([1, [{ id: 'y' }]]);
});

test('takes a task that the shutdown cuts off for no error, and runs it again after the restart', async () => {
  const dataDir = directory();
  const definition: JsonObject = {
    StartAt: 'Check',
    States: {
      Check: task('check', { Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Fail' }], Next: 'Finish' }),
      Finish: task('finish', { End: true }),
      Fail: task('fail', { End: true }),
    },
  };
  const seen: string[] = [];
  const noting = { finish: () => seen.push('finish'), fail: () => seen.push('fail') };
  let cutOff: (() => void) | undefined;
  const check = () =>
    new Promise<null>((_, reject) => {
      cutOff = () => reject(new FunctionError({ errorType: 'Runtime.ExitError', errorMessage: 'ended' }));
    });
  const before = await machine(definition, { ...noting, check }, dataDir);
  await before.start('{}');
  while (!cutOff) await sleep(5);
  await before.stop();
  cutOff();
  const after = await machine(definition, { ...noting, check: () => null }, dataDir);
  expect((await after.ended()).status).toBe('SUCCEEDED');
  expect(seen).toEqual(['finish']);
});

test('resumes from the last complete line of an execution’s file, wherever a kill has cut it off', async () => {
  const dataDir = directory();
  const before = await machine(two, { first: () => null, second: () => new Promise(() => {}) }, dataDir);
  await before.start('{"id":"z"}');
  const file = await saved(dataDir, '"Second"');
  await before.stop();
  const lines = readFileSync(file, 'utf8').split('\n');
  const last = lines.at(-1) ?? '';
  const resumedWith = async (content: string): Promise<unknown> => {
    writeFileSync(file, content);
    const seen: string[] = [];
    const after = await machine(two, { first: () => seen.push('first'), second: () => seen.push('second') }, dataDir);
    const state = await after.ended().catch((error: Error) => ({ status: error.name }));
    const history = await after.ask('GetExecutionHistory', { executionArn: EXECUTION }).catch(() => ({}));
    await after.stop();
    return { status: state.status, seen, states: JSON.stringify(history).match(/(?<="name":")\w+/g) };
  };
  const second = { status: 'SUCCEEDED', seen: ['second'], states: ['First', 'First', 'Second', 'Second'] };
  const complete = lines.slice(0, -1);
  expect(await resumedWith(lines.join('\n'))).toMatchObject(second);
  expect(await resumedWith([...complete, last.slice(0, -9), last].join('\n'))).toEqual(second);
  const both = { status: 'SUCCEEDED', seen: ['first', 'second'], states: ['First', 'First', 'First', 'Second'] };
  expect(await resumedWith([...complete, last.slice(0, -9)].join('\n'))).toEqual(both);
  const missing = { status: 'ExecutionDoesNotExist', seen: [], states: null };
  expect(await resumedWith((lines[0] ?? '').slice(0, -9))).toEqual(missing);
});

test('an end that cannot be saved ends the execution, and nothing else', async () => {
  const complaint = vi.spyOn(console, 'error').mockReturnValue();
  const dataDir = directory();
  const { start, ended } = await machine(
    two,
    {
      first: () => null,
      second: async () => {
        const file = await saved(dataDir, 'Second');
        rmSync(file);
        mkdirSync(file);
        return null;
      },
    },
    dataDir,
  );
  await start('{}');
  expect(await ended()).toMatchObject({ status: 'SUCCEEDED' });
  await vi.waitFor(() => expect(complaint).toHaveBeenCalledOnce(), 60_000);
  complaint.mockRestore();
});

test('ends an execution at its timeout and on request', async () => {
  const hanging: JsonObject = { StartAt: 'Hang', TimeoutSeconds: 0.05, States: { Hang: task('hang', { End: true }) } };
  const functions = { hang: () => new Promise<null>(() => {}) };
  const late = await machine(hanging, functions);
  await late.start('{}');
  expect((await late.ended()).status).toBe('TIMED_OUT');
  const stopped = await machine({ ...hanging, TimeoutSeconds: 60 }, functions);
  await stopped.start('{}');
  await stopped.ask('StopExecution', { executionArn: EXECUTION, error: 'Replaced', cause: 'no longer wanted' });
  expect(await stopped.ended()).toMatchObject({ status: 'ABORTED', error: 'Replaced', cause: 'no longer wanted' });
});

test('takes the names and inputs that AWS takes', async () => {
  const { ask } = await machine({ StartAt: 'Done', States: { Done: { Type: 'Succeed' } } }, {});
  const start = (input: object) => ask('StartExecution', { stateMachineArn: MACHINE, ...input });
  for (const name of ['a b', 'a:b', 'a/b', 'a*', '', 'x'.repeat(81)])
    await expect(start({ name }), name).rejects.toThrow(/name/);
  const textOf = (bytes: number) => JSON.stringify('é'.repeat((bytes - 2) / 2));
  await expect(start({ name: 'long', input: textOf(262_146) })).rejects.toThrow(/input/);
  await start({ name: 'dep_1-again.2', input: textOf(262_144) });
});
