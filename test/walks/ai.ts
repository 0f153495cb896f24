import { expect } from 'vitest';
import { addCredits, newCreditEntry } from '../../domain/ai/entries.ts';
import { ledgerQueue } from '../../domain/ai/ledger.ts';
import { currentOffer } from '../../domain/ai/models.ts';
import { sweep } from '../../domain/sweep/sweep.ts';
import { callReport } from '../../runtime/observability/chat-report.ts';
import { reportLedgers } from '../../runtime/observability/ledger-metrics.ts';
import { AiAccount } from '../../table/entities/ai.ts';
import { change } from '../../table/writes.ts';
import { simulation } from '../simulation/simulation.ts';
import { call, MODELS, upstream, user } from '../support/ai-calls.ts';
import { keptKey } from '../support/platform-key.ts';
import type { Scene, Walk } from '../support/walks.ts';

const ANSWER = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'Ok.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

/** Calls of a customer on credits, each reported as the gateway's function does it. */
async function callModel(key: string): Promise<number> {
  const world = { baseUrl: upstream.url, platformKey: keptKey(key) };
  const { apiError, report } = await call({ model: MODELS.openai, messages: user('Say ok.') }, world);
  const request = { requestId: 'req_1', address: '192.0.2.1', startedAt: performance.now() };
  const status = apiError?.status ?? 200;
  callReport(request, status, apiError, report);
  return status;
}

/** A provider that knows one key, or none while it is down. */
function provider() {
  const state = { key: 'sk-first', isDown: false };
  upstream.act = (response, _, key) => {
    const status = state.isDown ? 500 : key.endsWith(state.key) ? 200 : 401;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? ANSWER : { error: { message: 'no' } }));
  };
  return state;
}

/** The provider does not take our key any more, until operators store another one. */
async function refusedKey(): Promise<Scene> {
  const { clock } = simulation();
  const state = provider();
  let stored = JSON.stringify({ openai: 'sk-first' });
  let last = 0;
  return {
    clock,
    async minute() {
      last = await callModel(JSON.parse(stored).openai);
    },
    breakIt: () => {
      state.key = 'sk-second';
    },
    whileBroken: () => expect(last).toBe(502),
    steps: [
      {
        command: 'aws secretsmanager get-secret-value --region <region> --secret-id hosting-<stage>-ai-provider-keys',
        run: ({ options }) => expect(options.query).toBe('SecretString'),
      },
      {
        command: 'aws secretsmanager put-secret-value --region <region> --secret-id hosting-<stage>-ai-provider-keys',
        run: ({ options }) => {
          expect(options['secret-string']).toBe('file://keys.json');
          stored = JSON.stringify({ ...JSON.parse(stored), openai: 'sk-second' });
        },
      },
    ],
    whenOver: () => expect(last).toBe(200),
  };
}

/** A provider answers every call with 500. */
async function deadProvider(): Promise<Scene> {
  const { clock, steady } = simulation();
  const { deps } = steady;
  const state = provider();
  return {
    clock,
    deps,
    async minute() {
      for (let count = 0; count < 6; count += 1) await callModel(state.key);
    },
    breakIt: () => {
      state.isDown = true;
    },
    steps: [
      {
        command: 'aws lambda invoke --region <region> --function-name hosting-<stage>-operator-setAiOffer',
      },
      {
        words: 'check its status page',
        act: async () => {
          // No model is on sale until the provider is back.
          expect((await currentOffer(deps, 18)()).models).toEqual([]);
          state.isDown = false;
        },
      },
    ],
  };
}

/** A balance that was changed manually, so that it does not match its ledger. */
async function changedBalance(): Promise<Scene> {
  const { clock, steady } = simulation();
  const { deps } = steady;
  const of = { accountId: 'acc_1' };
  await deps.table.transact(addCredits(newCreditEntry(deps, of.accountId, 'PURCHASE', 10_000_000)));
  const setBalance = (balanceMicroRand: number) =>
    deps.table.write(AiAccount, change(AiAccount, of, { set: { balanceMicroRand } }));
  return {
    clock,
    deps,
    minute: async () => reportLedgers(await sweep(deps, ledgerQueue)),
    breakIt: () => setBalance(11_000_000),
    steps: [
      {
        words: "compare the entries with the table's point-in-time recovery before you correct anything",
        act: () => setBalance(10_000_000),
      },
    ],
  };
}

/** Prices that operators replace as a whole, and restore. */
async function ownPrices(): Promise<Scene> {
  const { clock, steady } = simulation();
  const { deps } = steady;
  return {
    clock,
    deps,
    minute: () => undefined,
    breakIt: () => undefined,
    steps: [{ command: 'aws lambda invoke --region <region> --function-name hosting-<stage>-operator-setAiOffer' }],
    whenOver: async () => expect((await currentOffer(deps, 18)()).randPerDollar).toBe(19.5),
  };
}

export const aiWalks: Walk[] = [
  {
    page: 'Provider key',
    fault: 'a provider refuses the platform’s key',
    alarms: ['ai-own-key-refused'],
    open: refusedKey,
  },
  {
    page: 'Provider failures',
    fault: 'a provider answers 500',
    alarms: ['ai-upstream-failures'],
    open: deadProvider,
  },
  {
    page: 'AI ledger',
    fault: 'a balance was changed manually',
    alarms: ['ai-ledger'],
    pace: 60,
    open: changedBalance,
  },
  { page: 'AI prices', fault: 'the dollar has another price', alarms: [], open: ownPrices },
];
