import { expect } from 'vitest';
import { simulation } from '../simulation/simulation.ts';
import { dimensionsOf } from '../support/alarm-states.ts';
import { follow, measured, type Scene, type Step, type Walk } from '../support/walks.ts';
import { synthesize } from '../template/synthesized.ts';
import { deployedFunction } from './lambda.ts';

const NAME = 'hosting-prod-api-listApps';

/** A request a minute to an operation whose function is broken by a deployment: API Gateway answers it with 500. */
async function brokenOperation(
  breaks: { source?: string; environment?: Record<string, string> },
  stepsOf: (operation: { deploy: ReturnType<typeof deployedFunction>['deploy']; scene: () => Scene }) => Step[],
): Promise<Scene> {
  const { clock } = simulation();
  const { template } = synthesize({ stage: 'prod' });
  const [of = {}] = dimensionsOf(template, 'hosting-prod-api-5m', 'Count');
  const { fails, deploy } = deployedFunction(NAME);
  const scene: Scene = {
    clock,
    async minute() {
      const failed = await fails();
      return [
        measured(clock, ['AWS/ApiGateway', 'Count'], 1, of),
        measured(clock, ['AWS/ApiGateway', '5xx'], failed, of),
      ];
    },
    breakIt: () => deploy(breaks),
    whileBroken: async () => expect(await fails()).toBe(1),
    steps: stepsOf({ deploy, scene: () => scene }),
    whenOver: async () => expect(await fails()).toBe(0),
  };
  return scene;
}

/** The page of the operation refers to that of its function, which has the cause. */
const functionLacksVariable = (words: string) =>
  brokenOperation({ environment: {} }, ({ deploy, scene }) => [
    {
      words,
      act: () =>
        follow(
          'Function errors',
          { words: 'the stack and the code are of different versions', act: () => deploy({}) },
          scene(),
        ),
    },
  ]);

/** The code of a release throws, and the previous commit is deployed. */
const badRelease = () =>
  brokenOperation(
    { source: "export const handler = () => { throw new TypeError('id of undefined'); };" },
    ({ deploy }) => {
      let checkedOut = '';
      return [
        {
          command: 'git checkout',
          fill: { '<tag>': 'v0.2.0' },
          run: ({ words }) => {
            checkedOut = words[2] ?? '';
          },
        },
        {
          command: 'npm run deploy',
          run: async ({ text }) => {
            expect(checkedOut).toBe('v0.2.0');
            // The alarms that are on would undo a canary.
            expect(text).toContain('-c canary=off');
            await deploy({});
          },
        },
      ];
    },
  );

export const apiWalks: Walk[] = [
  {
    page: 'API 5xx',
    fault: 'the function of an operation lacks a variable',
    alarms: ['api'],
    open: () => functionLacksVariable('the function did not answer (crash, time-out, throttle): Function errors'),
  },
  {
    page: 'Service levels',
    fault: 'an operation fails for hours',
    alarms: ['budget-of-requests'],
    pace: 30,
    open: () => functionLacksVariable('Find the commonest cause with the section of the product (API 5xx'),
  },
  {
    page: 'A bad release of ours',
    fault: 'the code of an operation throws',
    alarms: ['api'],
    open: badRelease,
  },
];
