import { BY_PLATFORM, committing } from '../../domain/audit/record.ts';
import type { Deps, Settings } from '../../domain/deps.ts';
import { idGenerator } from '../../domain/ids.ts';
import { createTable, type Send, type SendPolicy } from '../../table/table.ts';
import { memoryTable } from '../support/memory-table.ts';

/**
 * The base of every simulation (README.md in this folder): a clock that jumps, seeded random numbers, a table in memory,
 * and processes that crash where a fault plan says so. The code under test is the real one; only what it calls is simulated.
 */

/** Ends a simulated process. Nothing that the process does afterwards reaches the outside. */
export class SimulatedCrash extends Error {}

/** One call from a process to the outside, at one of its two moments. */
export interface SimulatedCall {
  /** Counts the calls of all processes that faults apply to, from 1. */
  number: number;
  /** Counts the calls of this process, from 1. */
  step: number;
  /** `before` the outside hears of it, or `after` it has acted and before the process learns the result. */
  when: 'before' | 'after';
  /** `<port>.<method>`, such as `table.PutItem` or `queue.send`. */
  what: string;
  /** Simulated time, in epoch milliseconds. */
  now: number;
}

type Fault = 'crash' | 'repeat' | undefined;

/** The effect of a request that the client repeats because its response was lost; `NEVER` if it does not repeat the request. */
type Repeat = 'APPLIES' | 'IGNORED' | 'NEVER';

/**
 * Decides what happens at a call: `crash` ends its process, an error thrown is what the call fails with, and `repeat`, after a request to the
 * table, loses its response: the client repeats the request, except one that it must not repeat (`atMostOnce`), which fails.
 */
export type FaultPlan = (call: SimulatedCall) => Fault | Promise<Fault>;

export const noFaults: FaultPlan = () => undefined;

/** Crashes the process at one call, before or after it. */
export const crashAt =
  (number: number, when: SimulatedCall['when']): FaultPlan =>
  (call) =>
    call.number === number && call.when === when ? 'crash' : undefined;

/** Crashes a process at one of its own calls, before or after it. */
export const crashAtStep =
  (step: number, when: SimulatedCall['when']): FaultPlan =>
  (call) =>
    call.step === step && call.when === when ? 'crash' : undefined;

/** Has something else happen, from beginning to end, before one of a process's own calls: what its next call sees has changed. */
export const interruptAt =
  (step: number, work: () => Promise<unknown>): FaultPlan =>
  async (call) => {
    if (call.step === step && call.when === 'before') await work();
    return undefined;
  };

/** Matches calls that only read the table. */
const READS = /^table\.(GetItem|BatchGetItem|Query)$/;

/**
 * Yields the fault plans that crash a process before and after one call; none after a read, because that leaves the same world as the crash
 * before it. Each plan must be used before the next one is taken.
 * @param at selects the call: {@link crashAt} or {@link crashAtStep}
 */
export function* crashesAt(
  number: number,
  at = crashAt,
): Generator<{ when: SimulatedCall['when']; faults: FaultPlan; hasCrashed(): boolean }> {
  for (const when of ['before', 'after'] as const) {
    let crashed: string | undefined;
    const plan = at(number, when);
    const faults: FaultPlan = async (call) => {
      const fault = await plan(call);
      if (fault) crashed = call.what;
      return fault;
    };
    yield { when, faults, hasCrashed: () => crashed !== undefined };
    if (READS.test(crashed ?? '')) return;
  }
}

/** An event beside a process in one trial of {@link interruptEach}. */
export interface Interruption {
  /** The step of the process (from 1) before which it happens. */
  step: number;
  /** True as soon as it has happened. The last trial ends without it. */
  isReached: boolean;
  /** Returns the process's fault plan. @param work what happens */
  by(work: () => Promise<unknown>): FaultPlan;
}

/**
 * Performs a trial, each time in a world of its own, for each step of a process, until a trial does not reach its step.
 * @param planAt interrupts a process at a step
 * @param maxSteps the number of trials at most
 */
export async function interruptEach(
  trial: (interruption: Interruption) => Promise<void>,
  { planAt = interruptAt, maxSteps = Number.POSITIVE_INFINITY } = {},
): Promise<void> {
  for (let step = 1, isReached = true; isReached && step <= maxSteps; step += 1) {
    const interruption: Interruption = {
      step,
      isReached: false,
      by: (work) =>
        planAt(step, async () => {
          interruption.isReached = true;
          await work();
        }),
    };
    await trial(interruption);
    isReached = interruption.isReached;
  }
}

/** Fails the `nth` call (from 1) of a port's method, before the outside hears of it. */
export function failNth(what: string, nth: number): FaultPlan {
  let calls = 0;
  return (call) => {
    if (call.when === 'after' || call.what !== what) return undefined;
    calls += 1;
    if (calls === nth) throw new Error(`simulated failure of ${what}`);
    return undefined;
  };
}

/** Refuses the first transactions, so many of them, because of a conflict at their n-th write (from 0). */
export function conflictFirst(times: number, at: number): FaultPlan {
  let left = times;
  return ({ when, what }) => {
    if (when === 'after' || what !== 'table.TransactWriteItems' || left === 0) return undefined;
    left -= 1;
    const CancellationReasons = [
      ...Array.from({ length: at }, () => ({ Code: 'None' })),
      { Code: 'TransactionConflict' },
    ];
    const name = 'TransactionCanceledException';
    throw Object.assign(new Error('simulated conflict'), { name, detail: { CancellationReasons } });
  };
}

/** Returns a generator of numbers from 0 (inclusive) to 1 (exclusive), the same sequence for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const START = Date.parse('2026-01-31T09:30:00.000Z');

export interface SimulationOptions {
  /** Simulated time at the beginning, in epoch milliseconds. */
  startAt?: number;
  faults?: FaultPlan;
  settings?: Partial<Settings>;
  /** Wraps every operation of the table, such as {@link withRandomDelays}. */
  through?: (send: Send) => Send;
}

export interface ProcessOptions {
  /** Instead of the simulation's fault plan; {@link noFaults} for setting up and for reading results. */
  faults?: FaultPlan;
  /** Deviation of the process's own clock, in milliseconds. */
  skewMs?: number;
}

/** Operations of the table that take up to 3 ms of real time, so that concurrent callers interleave. */
export const withRandomDelays =
  (send: Send): Send =>
  async (operation, input) => {
    await new Promise((done) => setTimeout(done, Math.random() * 3));
    return await send(operation, input);
  };

export function simulation({ startAt = START, settings, through, ...options }: SimulationOptions = {}) {
  const memory = memoryTable();
  const clock = { now: startAt };
  const send = through ? through(memory.send) : memory.send;
  let calls = 0;

  /** Starts a process: its dependencies, and ports that reach the outside as long as it lives. */
  function startProcess({ faults = options.faults ?? noFaults, skewMs = 0 }: ProcessOptions = {}) {
    let crashed = false;
    let steps = 0;
    const call = async <T>(what: string, act: () => Promise<T>, repeat: Repeat = 'APPLIES'): Promise<T> => {
      if (crashed) throw new SimulatedCrash(what);
      if (faults === noFaults) return await act();
      calls += 1;
      steps += 1;
      const [number, step] = [calls, steps];
      const meet = async (when: SimulatedCall['when']) => {
        const fault = crashed ? undefined : await faults({ number, step, when, what, now: clock.now });
        if (fault === 'crash') crashed = true;
        if (crashed) throw new SimulatedCrash(what);
        return fault;
      };
      await meet('before');
      const result = await act();
      if ((await meet('after')) !== 'repeat' || repeat === 'IGNORED') return result;
      if (repeat === 'NEVER') throw new Error(`the response of ${what} is lost`);
      try {
        return await act();
      } catch (error) {
        throw Object.assign(error as Error, { afterLostResponse: true });
      }
    };
    const throughFaults: Send = async <Output>(
      operation: string,
      input: object,
      policy?: SendPolicy,
    ): Promise<Output> => {
      // Sweeps read empty partitions of the due index by the dozen: crashing at each of them shows nothing new.
      if ('IndexName' in input && input.IndexName === 'due' && !crashed) {
        const found = await send<{ Items: object[] }>(operation, input);
        if (found.Items.length === 0) return found as Output;
      }
      // The token of a transaction keeps it from being applied twice.
      const repeat = policy?.once ? 'NEVER' : operation === 'TransactWriteItems' ? 'IGNORED' : 'APPLIES';
      return await call(`table.${operation}`, () => send<Output>(operation, input), repeat);
    };
    const table = createTable(throughFaults, 'memory');
    const now = () => new Date(clock.now + skewMs);
    const deps: Deps = {
      table,
      now,
      newId: idGenerator(() => now().getTime()),
      settings: {
        publicUrl: 'https://example.com',
        appsDomain: 'apps.example.com',
        hostArnOf: (id) => id,
        allowLocalWebhooks: false,
        allowLocalRepositories: false,
        webhookRetrySchedule: [60],
        ...settings,
      },
      commit: async (...given) => await committing(deps, BY_PLATFORM)(...given),
    };
    /** A provider whose every method is a call to the outside, named `<name>.<method>`. */
    const port = <T extends object>(name: string, provider: T): T =>
      new Proxy(provider, {
        get: (target, method) => {
          const member: unknown = Reflect.get(target, method);
          if (typeof member !== 'function') return member;
          return (...given: unknown[]) =>
            call(`${name}.${String(method)}`, async (): Promise<unknown> => member.apply(target, given));
        },
      });
    return { deps, call, port };
  }

  return {
    memory,
    clock,
    startProcess,
    /** Calls so far that the fault plan has seen. */
    calls: () => calls,
    /** A process that no fault reaches. */
    steady: startProcess({ faults: noFaults }),
  };
}

/**
 * Steps until a condition holds. Throws after `maxSteps`, because a simulation that never ends has found a defect.
 * @returns the number of steps taken
 */
export async function runUntil(
  isDone: () => boolean | Promise<boolean>,
  step: () => unknown,
  maxSteps = 20_000,
): Promise<number> {
  for (let steps = 0; steps < maxSteps; steps += 1) {
    if (await isDone()) return steps;
    await step();
  }
  throw new Error(`the simulation did not end within ${maxSteps} steps`);
}

/** Runs work whose process may crash or whose calls may fail: what follows is up to the next process. */
export async function toleratingFaults(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch {
    // The crash or failure is the point of the simulation; its consequences are what the test examines.
  }
}
