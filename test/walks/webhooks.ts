import { expect } from 'vitest';
import { reportAttempt, reportOverdue } from '../../runtime/observability/delivery-metrics.ts';
import { log } from '../../runtime/observability/log.ts';
import { webhookSimulation } from '../simulation/webhooks.ts';
import type { Scene, Walk } from '../support/walks.ts';

/** Deliveries that nothing attempts, as when their function has no concurrency, and then all at once. */
async function lateDeliveries(): Promise<Scene> {
  let isDown = false;
  const run = webhookSimulation({
    isDown: () => isDown,
    onAttempt: (message, result) => log.info('message done', reportAttempt(message, result)),
    onOverdue: reportOverdue,
  });
  await run.openAccount();
  await run.endpoint('shop');
  return {
    clock: run.clock,
    deps: run.steady,
    async minute() {
      await run.event();
      // The minute that has passed: the harness has advanced the clock already.
      const until = run.clock.now;
      await run.runUntilIdle(until + 1);
      run.clock.now = until;
    },
    breakIt: () => {
      isDown = true;
    },
    whileBroken: () => expect(run.deliveries().some(({ status }) => status === 'PENDING')).toBe(true),
    steps: [
      {
        words: 'Its ceiling is deliveryConcurrency',
        act: () => {
          isDown = false;
        },
      },
    ],
    whenOver: () => expect(run.deliveries().filter(({ status }) => status !== 'DELIVERED').length).toBeLessThan(2),
  };
}

/** First attempts that are late, which is what their receivers notice afterwards. */
async function lateReceivers(): Promise<Scene> {
  const scene = await lateDeliveries();
  const { breakIt, minute, steps } = scene;
  let looks = 0;
  let isBroken = false;
  const release = async () => {
    for (const step of steps) if ('act' in step) await step.act();
  };
  return {
    ...scene,
    breakIt: () => {
      isBroken = true;
    },
    /** It stands still for five minutes of six, and works off everything in the sixth. */
    async minute() {
      looks += 1;
      if (isBroken && looks % 6 !== 0) breakIt();
      else await release();
      await minute();
    },
    whileBroken: () => undefined,
    steps: [
      {
        words: 'continue with Function errors, Concurrency',
        act: () => {
          isBroken = false;
        },
      },
    ],
  };
}

export const webhookWalks: Walk[] = [
  {
    page: 'Webhooks behind',
    fault: 'nothing attempts the deliveries that wait',
    alarms: ['webhooks-overdue'],
    open: lateDeliveries,
  },
  {
    page: 'Webhooks behind',
    fault: 'first attempts are minutes late',
    alarms: ['webhooks'],
    open: lateReceivers,
  },
];
