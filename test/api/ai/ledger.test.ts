import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChatRequest } from '../../../contract/ai/chat.ts';
import type { Gateway } from '../../../domain/ai/call.ts';
import { startAiStandIns } from '../../../local/emulators/ai/ai.ts';
import type { StandIn } from '../../../local/emulators/wire.ts';
import { createTransport } from '../../../providers/ai/transport.ts';
import { createTable, type Send } from '../../../table/table.ts';
import { local, newAccount } from '../../support/harness.ts';

/**
 * The books under random failures: calls are killed at any of their table operations (before it happened or after, its
 * answer lost), providers fail, callers leave. Whatever happens, once dead holds have come back the ledger adds up to the
 * balance, nothing is held, nothing is charged twice, and the balance is not below zero.
 */
Object.assign(process.env, local.environment);
const modules = () =>
  Promise.all([
    import('../../../domain/ai/call.ts'),
    import('../../../domain/ai/credits.ts'),
    import('../../../domain/ai/ledger.ts'),
    import('../../../domain/ai/models.ts'),
    import('../../../runtime/aws/client.ts'),
    import('../../../runtime/deps.ts'),
  ]);

let standIns: StandIn;
beforeAll(async () => {
  standIns = await startAiStandIns({ pace: { first: 0, next: 0 } });
});
afterAll(() => standIns.stop());

const RUNS = 120;
/** Micro-rand: less than two calls may cost, and more than all. */
const POOR = 2_000_000;
const RICH = 500_000_000;

interface Plan {
  fault: string;
  stream: boolean;
  anthropic: boolean;
  /** The table operation at which the process dies; none beyond the last. */
  killAt: number;
  /** Whether that operation still happened. */
  happened: boolean;
  /** Whether it is only that one operation that fails, and the process lives on. */
  survives: boolean;
  leaveAfter: number;
}

const plans = fc.array(
  fc.record<Plan>({
    fault: fc.constantFrom('', '', '', 'fault:500', 'fault:close-mid', 'fault:error-mid', 'fault:no-usage'),
    stream: fc.boolean(),
    anthropic: fc.boolean(),
    killAt: fc.integer({ min: 1, max: 6 }),
    happened: fc.boolean(),
    survives: fc.boolean(),
    leaveAfter: fc.constantFrom(1, 3, 1000, 1000, 1000),
  }),
  { minLength: 1, maxLength: 4 },
);

class Killed extends Error {}

test('the ledger is right whatever fails and whenever', async () => {
  const [
    { ChatCall },
    { releaseExpiredHoldsOf },
    { readCredits, checkLedgers },
    { builtInOffer },
    { callAws },
    { deps },
  ] = await modules();
  const healthy: Send = (operation, input) => callAws('dynamodb', operation, input);
  const name = process.env.TABLE_NAME ?? '';
  let calls = 0;
  let kills = 0;

  const run = async (accountId: string, plan: Plan, number: number): Promise<void> => {
    let operations = 0;
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
      if (operations !== plan.killAt) return healthy<Output>(operation, input);
      kills += 1;
      if (plan.happened) await healthy(operation, input);
      if (!plan.survives) return die();
      throw new Killed();
    };
    const gateway: Gateway = {
      ...deps,
      table: createTable(send, name),
      offer: async () => builtInOffer(18),
      ownKey: () => 'sk-own',
      keyRing: { get: () => undefined, open: async () => undefined },
      transport: createTransport(),
      baseUrls: { openai: `${standIns.url}/openai/v1`, anthropic: `${standIns.url}/anthropic` },
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
        if (written >= plan.leaveAfter) leaving.abort();
        return undefined;
      },
      end: () => undefined,
      signal: leaving.signal,
    };
    const call = {
      accountId,
      requestId: `req_${number}`,
      startedAt: performance.now(),
      request: ChatRequest().parse(body),
      text,
    };
    calls += 1;
    await Promise.race([death.promise, new ChatCall(gateway, call, outlet).run().catch(() => undefined)]);
  };

  await fc.assert(
    fc.asyncProperty(plans, fc.constantFrom(POOR, RICH), async (all, credits) => {
      const account = await newAccount({ aiCreditsMicroRand: credits });
      await Promise.all(all.map((plan, number) => run(account.id, plan, number)));
      const later = { ...deps, now: () => new Date(Date.now() + 20 * 60_000) };
      // Of this account alone: calls of other tests are under way.
      await releaseExpiredHoldsOf(later, account.id);
      const { data } = await readCredits(deps, { accountId: account.id }, { limit: 100, offset: 0 });
      expect(data.availableMicroRand).toBe(data.balanceMicroRand);
      expect(data.balanceMicroRand).toBeGreaterThanOrEqual(0);
      expect(data.entries.reduce((sum, { amountMicroRand }) => sum + amountMicroRand, 0)).toBe(data.balanceMicroRand);
      const charged = data.entries.filter(({ type }) => type === 'CALL').map(({ requestId }) => requestId);
      expect(new Set(charged).size).toBe(charged.length);
      for (const [number, plan] of all.entries()) {
        // A call that nothing happened to is charged; the poor may have been refused.
        const undisturbed = credits === RICH && plan.fault === '' && plan.killAt > 2 && plan.leaveAfter === 1000;
        if (undisturbed) expect(charged).toContain(`req_${number}`);
      }
    }),
    { numRuns: RUNS },
  );
  const { mismatches } = await checkLedgers(deps);
  expect(mismatches).toEqual([]);
  console.log(`the ledger: ${RUNS} random histories, ${calls} calls, ${kills} of them cut at a table operation`);
}, 120_000);

test('a call asks the table twice beside its authentication: for the hold, and to settle', async () => {
  const [{ ChatCall }, , , { builtInOffer }, { callAws }, { deps }] = await modules();
  const account = await newAccount({ aiCreditsMicroRand: RICH });
  const asked: string[] = [];
  const send: Send = (operation, input) => {
    asked.push(operation);
    return callAws('dynamodb', operation, input);
  };
  const gateway: Gateway = {
    ...deps,
    table: createTable(send, process.env.TABLE_NAME ?? ''),
    offer: async () => builtInOffer(18),
    ownKey: () => 'sk-own',
    keyRing: { get: () => undefined, open: async () => undefined },
    transport: createTransport(),
    baseUrls: { openai: `${standIns.url}/openai/v1` },
  };
  const body = { model: 'openai/gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'hello' }] };
  const outlet = {
    begin: () => void asked.push('begin'),
    write: () => undefined,
    end: () => void asked.push('end'),
    signal: new AbortController().signal,
  };
  const call = { accountId: account.id, requestId: 'req', startedAt: performance.now(), text: JSON.stringify(body) };
  await new ChatCall(gateway, { ...call, request: ChatRequest().parse(body) }, outlet).run();
  expect(asked).toEqual(['UpdateItem', 'begin', 'end', 'TransactWriteItems']);
});

test('a cost beyond the hold is charged as far as there are credits, and the rest is written off', async () => {
  const [, { hold, settle }, { readCredits }, , , { deps }] = await modules();
  const account = await newAccount({ aiCreditsMicroRand: 1_000_000 });
  const tokens = { inputTokens: 1, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
  const used = { ...tokens, requestId: 'req', model: 'openai/gpt-4o', price: null, estimated: false };
  const small = await hold(deps, account.id, 'openai', 300_000);
  expect(await settle(deps, small, 400_000, used)).toEqual({ charged: 400_000, writtenOff: 0 });
  const large = await hold(deps, account.id, 'openai', 9_000_000);
  expect(large.granted).toBe(600_000);
  await expect(hold(deps, account.id, 'openai', 1)).rejects.toThrow('no hold');
  expect(await settle(deps, large, 700_000, used)).toEqual({ charged: 600_000, writtenOff: 100_000 });
  const { data } = await readCredits(deps, { accountId: account.id }, { limit: 100, offset: 0 });
  expect(data).toMatchObject({ balance: '0.00', available: '0.00', balanceMicroRand: 0 });
});
