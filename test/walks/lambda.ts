import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { lambdaOperations } from '../../local/emulators/lambda/api.ts';
import type { LambdaFunction } from '../../local/emulators/lambda/functions.ts';
import { startLambda } from '../../local/lambda/lambda.ts';
import { simulation } from '../simulation/simulation.ts';
import { follow, measured, type Scene, type Step, type Walk } from '../support/walks.ts';

const CHAT = 'hosting-prod-ai-chatCompletions';
const SOURCE = `
  export const handler = async () => {
    if (!process.env.TABLE_NAME) throw new Error('Environment variable TABLE_NAME is not set');
    return 'ok';
  };`;
const GOOD = { TABLE_NAME: 'hosting' };

/** A function in the emulator of Lambda, whose code and variables a deployment replaces. */
export function deployedFunction(name: string) {
  const dataDir = mkdtempSync(join(tmpdir(), 'walk-'));
  const start = (source: string, environment: Record<string, string>) => {
    const file = join(dataDir, `index-${++count}.mjs`);
    writeFileSync(file, source);
    return startLambda({
      dataDir,
      functions: [
        {
          name,
          arn: `arn:aws:lambda:af-south-1:000000000000:function:${name}`,
          file,
          handler: 'handler',
          environment,
          timeoutMs: 2000,
          memory: 128,
          concurrency: 1,
          isRequested: true,
        },
      ],
    });
  };
  let count = 0;
  let running = start(SOURCE, GOOD);
  onTestFinished(async () => {
    await running.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return {
    /** Invokes it. @returns 1 where it failed */
    fails: (): Promise<number> =>
      running.invoke(name, {}).then(
        () => 0,
        () => 1,
      ),
    async deploy({ source = SOURCE, environment = GOOD }: { source?: string; environment?: Record<string, string> }) {
      await running.stop();
      running = start(source, environment);
    },
  };
}

/** The AI gateway's function lacks a variable, so that every invocation crashes. */
async function crashes(words: string): Promise<Scene> {
  const { clock } = simulation();
  const { fails, deploy } = deployedFunction(CHAT);
  return {
    clock,
    async minute() {
      const failed = await fails();
      const of = { FunctionName: CHAT };
      return [
        measured(clock, ['AWS/Lambda', 'Invocations'], 1, of),
        measured(clock, ['AWS/Lambda', 'Errors'], failed, of),
      ];
    },
    breakIt: () => deploy({ environment: {} }),
    steps: [{ words, act: () => deploy({}) }],
  };
}

/** Applications reserve nearly all of the account's concurrency, one of them by far too much. */
async function fullAccount(page: 'Concurrency' | 'Quotas'): Promise<Scene> {
  const { clock } = simulation();
  const name = (id: string) => `hosting-prod-app-${id}`;
  const functions: Record<string, LambdaFunction> = {};
  for (const id of ['app_1', 'app_2'])
    functions[name(id)] = { latest: {}, versions: {}, reservedConcurrency: 20 } as unknown as LambdaFunction;
  const serve = lambdaOperations({
    functions,
    strict: false,
    region: 'af-south-1',
    accountId: '000000000000',
    save: () => {},
    load: () => Promise.reject(new Error('nothing is loaded')),
    invoke: async () => ({}),
    invokePlatformFunction: () => undefined,
  });
  const reserve = async (functionName: string, count: string) => {
    const body = Buffer.from(JSON.stringify({ ReservedConcurrentExecutions: Number(count) }));
    const path = `/2017-10-31/functions/${functionName}/concurrency`;
    await serve({ method: 'PUT', path, query: new URLSearchParams(), headers: {}, body });
  };
  const claimed = () =>
    Object.values(functions).reduce((sum, { reservedConcurrency = 0 }) => sum + reservedConcurrency, 0);
  const reduce: Step = {
    command: 'aws lambda put-function-concurrency --region <region>',
    fill: { '<applicationId>': 'app_1' },
    run: ({ options }) => reserve(options['function-name'] ?? '', options['reserved-concurrent-executions'] ?? ''),
  };
  const scene: Scene = {
    clock,
    minute: () => [measured(clock, ['AWS/Lambda', 'ClaimedAccountConcurrency'], claimed())],
    breakIt: () => reserve(name('app_1'), '950'),
    steps: [
      page === 'Quotas' ? { words: 'go to Concurrency', act: () => follow('Concurrency', reduce, scene) } : reduce,
    ],
    whenOver: () => expect(claimed()).toBe(40),
  };
  return scene;
}

export const lambdaWalks: Walk[] = [
  {
    page: 'Function errors',
    fault: 'a function lacks a variable',
    alarms: ['ai-errors'],
    open: () => crashes('the stack and the code are of different versions'),
  },
  {
    page: 'Provider failures',
    fault: 'the gateway crashes',
    alarms: ['ai'],
    open: () => crashes('calls crash'),
  },
  ...(['Concurrency', 'Quotas'] as const).map((page) => ({
    page,
    fault: 'an application holds most of the account’s concurrency',
    alarms: ['quotas-70', 'quotas-90'],
    open: () => fullAccount(page),
  })),
];
