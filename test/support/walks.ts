import { expect, vi } from 'vitest';
import type { Deps } from '../../domain/deps.ts';
import type { Send } from '../../table/table.ts';
import { synthesize } from '../template/synthesized.ts';
import { operatorFunctions } from '../walks/operator-functions.ts';
import { alarmsOn, type Sample, samplesOf } from './alarm-states.ts';
import { type Command, commandOf, plainText, runbookSections } from './runbook.ts';

/**
 * Walks of the runbook: a fault is injected, the alarm goes off on the metrics that the platform itself emits, the commands
 * of the page are followed, and the alarm ends. Time is simulated; code, alarms and commands are the real ones.
 */

/** One step of a page. */
export type Step =
  /** A command of the page, by its beginning, with the values of its placeholders. */
  | { command: string; has?: string; fill?: Record<string, string>; run?: (command: Command) => unknown }
  /** An act outside of the platform, or one without a command, in the page’s own words. */
  | { words: string; act: () => unknown };

export interface Scene {
  clock: { now: number };
  /** For commands that invoke functions of operators, and those on the table. */
  deps?: Deps;
  send?: Send;
  /** The work of the platform within a minute, broken or not. @returns values of metrics that AWS measures */
  minute(): unknown | Promise<unknown>;
  /** Breaks something. */
  breakIt(): unknown;
  steps: Step[];
  /** Expectations while it is broken, beside the alarms, and when it is over. */
  whileBroken?(): unknown;
  whenOver?(): unknown;
}

export interface Walk {
  /** Title of the section. */
  page: string;
  fault: string;
  /** Names of the alarms, without the prefix: all of them go off, and all end. */
  alarms: readonly string[];
  /** Minutes between two looks; 1 unless given. */
  pace?: number;
  open(): Scene | Promise<Scene>;
}

const MINUTE = 60_000;
const PREFIX = 'hosting-prod-';
/** Looks before the fault, so that an alarm on what is missing has its periods, and the most after it and after the repair. */
const LOOKS_BEFORE = 12;
const MAX_LOOKS = 100;

const isSamples = (value: unknown): value is Sample[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null && 'metric' in each);

/** A value of a metric that AWS measures, such as the number of messages in a queue. */
export const measured = (
  at: { now: number },
  [namespace, metric]: [namespace: string, metric: string],
  value: number,
  dimensions: Record<string, string> = {},
): Sample => ({ namespace, metric, dimensions, value, at: at.now });

/** Collects the metrics in what functions print; everything else of theirs is dropped. */
function collect(samples: Sample[]): { restore: () => void } {
  const write = process.stdout.write.bind(process.stdout);
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk, ...rest) => {
    const text = String(chunk);
    if (!text.startsWith('{"level"')) return write(chunk, ...(rest as []));
    // Functions in this process belong to the stage "local".
    for (const sample of samplesOf(text))
      samples.push({ ...sample, dimensions: { ...sample.dimensions, stage: 'prod' } });
    return true;
  });
  return { restore: () => spy.mockRestore() };
}

async function runCommand(command: Command, { deps, send }: Scene): Promise<unknown> {
  const { words, options } = command;
  const [tool, service, operation] = words;
  if (tool === 'aws' && service === 'lambda' && operation === 'invoke' && deps) {
    const name = options['function-name']?.replace(PREFIX, '') ?? '';
    const act = operatorFunctions[name];
    if (!act) throw new Error(`${name} is no function of operators that walks can invoke`);
    return await act(deps, JSON.parse(options.payload ?? '{}'));
  }
  if (tool === 'aws' && service === 'dynamodb' && send) {
    const json = (name: string) => (options[name] === undefined ? undefined : JSON.parse(options[name]));
    const input = {
      TableName: options['table-name'],
      Key: json('key'),
      UpdateExpression: options['update-expression'],
      ExpressionAttributeValues: json('expression-attribute-values'),
    };
    const name = (operation ?? '').replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
    return await send(name, Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)));
  }
  throw new Error(`A walk has to say how to run ${command.text}`);
}

/** Follows one step of a page. Throws where the page does not have it. */
export async function follow(page: string, step: Step, scene: Scene): Promise<void> {
  if ('command' in step) {
    const command = commandOf(page, step);
    await (step.run ? step.run(command) : runCommand(command, scene));
    return;
  }
  expect(plainText(runbookSections().get(page) ?? ''), 'the page’s own words').toContain(step.words);
  await step.act();
}

/** Walks a page. */
export async function walk({ page, alarms, open, pace = 1 }: Walk): Promise<void> {
  const { template } = synthesize({ stage: 'prod' });
  const scene = await open();
  const { clock } = scene;
  const samples: Sample[] = [];
  const names = alarms.map((name) => PREFIX + name);
  const on = () => alarmsOn(template, samples, clock.now, names).filter((name) => names.includes(name));
  vi.useFakeTimers({ toFake: ['Date'], now: clock.now });
  const collecting = collect(samples);
  const look = async () => {
    clock.now += pace * MINUTE;
    vi.setSystemTime(clock.now);
    const found = await scene.minute();
    if (isSamples(found)) samples.push(...found);
  };
  const lookUntil = async (what: string, isReached: () => boolean) => {
    for (let count = 0; count < MAX_LOOKS; count += 1) {
      await look();
      if (isReached()) return;
    }
    throw new Error(`${what}; on are: ${on().join(', ') || 'none'}`);
  };
  try {
    for (let count = 0; count < LOOKS_BEFORE; count += 1) await look();
    expect(on(), 'alarms before the fault').toEqual([]);
    await scene.breakIt();
    const seen = new Set<string>();
    await lookUntil('not all alarms went off', () => {
      for (const name of on()) seen.add(name);
      return names.every((name) => seen.has(name));
    });
    await scene.whileBroken?.();
    for (const step of scene.steps) await follow(page, step, scene);
    await lookUntil('not all alarms ended', () => on().length === 0);
    await scene.whenOver?.();
  } finally {
    collecting.restore();
    vi.useRealTimers();
  }
}
