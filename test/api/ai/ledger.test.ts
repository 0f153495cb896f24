import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChatRequest } from '../../../contract/ai/chat.ts';
import { ChatCall, type Gateway } from '../../../domain/ai/call.ts';
import { closeWindowsOf } from '../../../domain/ai/closing.ts';
import { hold } from '../../../domain/ai/credits.ts';
import { ledgerQueue, readCredits } from '../../../domain/ai/ledger.ts';
import { builtInOffer } from '../../../domain/ai/models.ts';
import { settle } from '../../../domain/ai/settlement.ts';
import { readUsage } from '../../../domain/ai/usage.ts';
import { sweep } from '../../../domain/sweep/sweep.ts';
import { startAiEmulators } from '../../../local/emulators/ai/ai.ts';
import type { Emulator } from '../../../local/emulators/wire.ts';
import { createTransport } from '../../../providers/ai/transport.ts';
import { createTable, type Send } from '../../../table/table.ts';
import { newAccount, platformDeps } from '../../support/harness.ts';
import { keptKey } from '../../support/platform-key.ts';

/**
 * The ledger under random failures: calls crash at any of their table operations (before it is applied, or after, with the
 * response lost), providers fail, callers disconnect. In every case, once the windows of the calls are closed, the ledger adds up to
 * the balance, no hold remains, nothing is charged twice, and the balance is not negative.
 */
const loadPlatform = async () => {
  const deps = await platformDeps();
  const { callAws } = await import('../../../runtime/aws/client.ts');
  return { deps, callAws };
};

let emulators: Emulator;
beforeAll(async () => {
  emulators = await startAiEmulators({ pace: { first: 0, next: 0 } });
});
afterAll(() => emulators.stop());

/** The day whose list prices calls cost. */
const PRICED_AT = new Date('2026-11-01');
/** Table operations of an undisturbed call. */
const CALL_WRITES = 5;
const RUNS = 120;
const OUTCOME = { status: 200, code: undefined, durationMs: 1 };
/** Balances in micro-rand: less than two calls may cost, and more than all. */
const LOW_BALANCE = 2_000_000;
const HIGH_BALANCE = 500_000_000;

interface CallPlan {
  fault: string;
  stream: boolean;
  anthropic: boolean;
  /** Index of the table operation at which the process crashes; none if beyond the last. */
  crashAt: number;
  /** True if that operation is still applied. */
  isApplied: boolean;
  /** True if only that operation fails and the process continues. */
  continues: boolean;
  disconnectAfter: number;
}

const plans = fc.array(
  fc.record<CallPlan>({
    fault: fc.constantFrom('', '', '', 'fault:500', 'fault:close-mid', 'fault:error-mid', 'fault:no-usage'),
    stream: fc.boolean(),
    anthropic: fc.boolean(),
    crashAt: fc.integer({ min: 1, max: CALL_WRITES + 2 }),
    isApplied: fc.boolean(),
    continues: fc.boolean(),
    disconnectAfter: fc.constantFrom(1, 3, 1000, 1000, 1000),
  }),
  { minLength: 1, maxLength: 4 },
);

class SimulatedCrash extends Error {}

test('the ledger is correct whatever fails at any step', async () => {
  const { deps, callAws } = await loadPlatform();
  const healthy: Send = (operation, input) => callAws('dynamodb', operation, input);
  const name = process.env.TABLE_NAME ?? '';
  let calls = 0;
  let kills = 0;

  const run = async (accountId: string, plan: CallPlan, number: number): Promise<void> => {
    let operations = 0;
    const sending: Promise<unknown>[] = [];
    const death = Promise.withResolvers<void>();
    let dead = false;
    const die = <T>(): Promise<T> => {
      dead = true;
      death.resolve();
      return new Promise(() => undefined);
    };
    const send: Send = async <Output>(operation: string, input: object): Promise<Output> => {
      if (dead) return die();
      operations += 1;
      if (operations !== plan.crashAt) {
        const sent = healthy<Output>(operation, input);
        sending.push(sent);
        return sent;
      }
      kills += 1;
      if (plan.isApplied) await healthy(operation, input);
      if (!plan.continues) return die();
      throw new SimulatedCrash();
    };
    const gateway: Gateway = {
      ...deps,
      table: createTable(send, name),
      offer: async () => builtInOffer(18, PRICED_AT),
      platformKey: () => keptKey('sk-own'),
      keyRing: { get: () => undefined, open: async () => undefined },
      transport: createTransport(),
      keepAliveMs: 60_000,
      switches: async () => ({}),
      flags: async () => ({}),
      baseUrls: { openai: `${emulators.url}/openai/v1`, anthropic: `${emulators.url}/anthropic` },
    };
    const model = plan.anthropic ? 'anthropic/claude-haiku-4-5' : 'openai/gpt-4o-mini';
    const body = {
      model,
      stream: plan.stream,
      messages: [{ role: 'user', content: `${plan.fault} number ${number}` }],
    };
    const text = JSON.stringify(body);
    const leaving = new AbortController();
    let written = 0;
    const outlet = {
      begin: () => undefined,
      write: () => {
        written += 1;
        if (written >= plan.disconnectAfter) leaving.abort();
        return undefined;
      },
      end: () => undefined,
      signal: leaving.signal,
    };
    const call = {
      accountId,
      keyId: 'key_1',
      requestId: `req_${number}`,
      startedAt: performance.now(),
      request: ChatRequest().parse(body),
      text,
    };
    calls += 1;
    const running = new ChatCall(gateway, call, outlet);
    const whole = async (): Promise<void> => {
      await running.run().catch(() => undefined);
      await running.finish(OUTCOME).catch(() => undefined);
    };
    await Promise.race([death.promise, whole()]);
    // What a process sent before it died arrives, and not half an hour later.
    await Promise.allSettled(sending);
  };

  await fc.assert(
    fc.asyncProperty(plans, fc.constantFrom(LOW_BALANCE, HIGH_BALANCE), async (all, credits) => {
      const account = await newAccount({ aiCreditsMicroRand: credits });
      await Promise.all(all.map((plan, number) => run(account.id, plan, number)));
      const later = { ...deps, now: () => new Date(Date.now() + 30 * 60_000) };
      const spent = async () => {
        const { data: usage } = await readUsage(deps, { accountId: account.id }, { days: 30 });
        return usage.reduce((sum, { amountMicroRand }) => sum + amountMicroRand, 0);
      };
      const spentBefore = await spent();
      // Only this account's: calls of other tests are in progress.
      await closeWindowsOf(later, account.id);
      const { data } = await readCredits(deps, { accountId: account.id }, { limit: 100, offset: 0 });
      expect(data.availableMicroRand).toBe(data.balanceMicroRand);
      expect(data.balanceMicroRand).toBeGreaterThanOrEqual(0);
      expect(data.entries.reduce((sum, { amountMicroRand }) => sum + amountMicroRand, 0)).toBe(data.balanceMicroRand);
      expect([spentBefore, await spent()]).toEqual([credits - data.balanceMicroRand, credits - data.balanceMicroRand]);
      const charged = data.entries.filter(({ type }) => type === 'CALL').map(({ requestId }) => requestId);
      expect(new Set(charged).size).toBe(charged.length);
      for (const [number, plan] of all.entries()) {
        // A call without a fault is charged, unless the balance was too low.
        const undisturbed =
          credits === HIGH_BALANCE && plan.fault === '' && plan.crashAt > CALL_WRITES && plan.disconnectAfter === 1000;
        if (undisturbed) expect(charged).toContain(`req_${number}`);
      }
    }),
    { numRuns: RUNS },
  );
  const { results, failed } = await sweep(deps, ledgerQueue);
  expect([failed, results.filter((check) => typeof check === 'object')]).toEqual([[], []]);
  console.log(`the ledger: ${RUNS} random histories, ${calls} calls, ${kills} of them cut at a table operation`);
});

test.each([
  ['a key without a budget', undefined, [], []],
  // The item of the key is written beside the account, both times.
  ['a key with a budget', HIGH_BALANCE, ['UpdateItem'], ['UpdateItem']],
])('a call of %s writes at most twice in a row before its first byte and after its last', async (...given) => {
  const [, budgetMicroRand, keyBefore, keyAfter] = given;
  const { deps, callAws } = await loadPlatform();
  const account = await newAccount({ aiCreditsMicroRand: HIGH_BALANCE });
  const asked: string[] = [];
  const send: Send = (operation, input) => {
    asked.push(operation);
    return callAws('dynamodb', operation, input);
  };
  const gateway: Gateway = {
    ...deps,
    table: createTable(send, process.env.TABLE_NAME ?? ''),
    offer: async () => builtInOffer(18, PRICED_AT),
    platformKey: () => keptKey('sk-own'),
    keyRing: { get: () => undefined, open: async () => undefined },
    transport: createTransport(),
    keepAliveMs: 60_000,
    switches: async () => ({}),
    flags: async () => ({}),
    baseUrls: { openai: `${emulators.url}/openai/v1` },
  };
  const body = { model: 'openai/gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'hello' }] };
  const outlet = {
    begin: () => void asked.push('begin'),
    write: () => undefined,
    end: () => void asked.push('end'),
    signal: new AbortController().signal,
  };
  const call = {
    accountId: account.id,
    keyId: 'key_1',
    budgetMicroRand,
    requestId: 'req',
    startedAt: performance.now(),
    text: JSON.stringify(body),
  };
  const running = new ChatCall(gateway, { ...call, request: ChatRequest().parse(body) }, outlet);
  await running.run();
  await running.finish(OUTCOME);
  // The account; then the entry with its log line, and with those written the account. Nothing is read.
  const after = ['BatchWriteItem', 'UpdateItem', ...keyAfter];
  expect(asked).toEqual(['UpdateItem', ...keyBefore, 'begin', 'end', ...after]);
});

test('charges a cost beyond the hold up to the remaining credits, and the rest is owed', async () => {
  const deps = await platformDeps();
  const caller = (accountId: string) => ({ accountId, keyId: 'key_1' });
  const account = await newAccount({ aiCreditsMicroRand: 1_000_000 });
  const tokens = { inputTokens: 1, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
  const used = { ...tokens, keyId: 'key_1', requestId: 'req', model: 'openai/gpt-4o', price: null, estimated: false };
  const small = await hold(deps, caller(account.id), 'openai', 300_000);
  expect(await settle(deps, small, 400_000, used)).toEqual({
    charged: 400_000,
    writtenOff: 0,
    recorded: false,
    failures: [],
  });
  const large = await hold(deps, caller(account.id), 'openai', 9_000_000);
  expect(large.granted).toBe(600_000);
  await expect(hold(deps, caller(account.id), 'openai', 1)).rejects.toThrow('no hold');
  expect(await settle(deps, large, 700_000, used)).toEqual({
    charged: 600_000,
    writtenOff: 100_000,
    recorded: false,
    failures: [],
  });
  const { data } = await readCredits(deps, { accountId: account.id }, { limit: 100, offset: 0 });
  expect(data).toMatchObject({ balance: '0.00', available: '0.00', balanceMicroRand: 0, debt: '0.10' });
});
