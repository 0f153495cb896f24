import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getMe } from '../../contract/accounts/me.ts';
import { createChatCompletion } from '../../contract/ai/chat.ts';
import { buyAiCredits } from '../../contract/ai/management.ts';
import { createApp, listApps } from '../../contract/apps/apps.ts';
import { createTopUp } from '../../contract/billing/top-ups.ts';
import { type ApiResponse, createClient } from '../../contract/client.ts';
import { setSwitch } from '../../contract/operator/switches.ts';
import { orderDomain } from '../../contract/registrar/orders.ts';
import type { SwitchName } from '../../contract/switches/switches.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { openAccount } from '../../domain/accounts/accounts.ts';
import { storeDelivery } from '../../domain/webhooks/event-sweep.ts';
import { newDelivery } from '../../domain/webhooks/fan-out.ts';
import { Account } from '../../table/entities/accounts.ts';
import { change } from '../../table/writes.ts';
import { registrant, uniqueDomain } from '../support/domains.ts';
import { accessTokenOf, clientOf, newAccount, platformDeps, waitFor } from '../support/harness.ts';
import { newOperator } from '../support/operator.ts';
import { type Run, startRun } from '../support/platform.ts';
import { type Receiver, receiver } from '../support/receivers.ts';

let run: Run;
let witness: Receiver;
beforeAll(async () => {
  run = await startRun({ DATA_DIR: ':memory:', RATE_LIMIT_SECRET: '100000', WEBHOOK_RETRY_SCHEDULE: '1,1,2,2,3' });
  witness = await receiver();
  await storeUnqueuedDelivery('/unqueued');
});
afterAll(async () => {
  await run.stop();
  await witness.stop();
});

/** A delivery whose message was lost a minute ago: the reconciler finds it while the other tests run. */
async function storeUnqueuedDelivery(path: string): Promise<void> {
  const account = await newAccount({}, run.local);
  const { id } = (await account.call(createWebhook, { body: { url: `${witness.url}${path}` } })).body.data;
  const deps = await platformDeps(run.local);
  const at = new Date(Date.now() - 60_000);
  const about = { type: 'ping' as const, created: at.toISOString(), data: { webhookId: id } };
  await storeDelivery(deps, newDelivery({ id: `evt_${'0'.repeat(32)}`, accountId: account.id, ...about }, { id }, at));
}

/** Returns the process of one of the run's engines. */
function engineProcessId(command: string): number {
  const processes = execFileSync('ps', ['-axo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const found = processes.filter((line) => line.trim().split(/\s+/)[1] === String(run.pid) && line.includes(command));
  if (found.length !== 1) throw new Error(`${found.length} processes are called ${command}`);
  return Number(found[0]?.trim().split(/\s+/)[0]);
}

/** Suspends an engine for a while: connections are accepted and hang, as in the worst outages. */
async function suspendEngine(command: string, milliseconds: number): Promise<void> {
  const pid = engineProcessId(command);
  process.kill(pid, 'SIGSTOP');
  try {
    await sleep(milliseconds);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

const EVENTS = 40;
/** Accounts whose card is being charged, and the amount of which the processor's emulator does not answer the charge. */
const HANGING = 20;
const UNANSWERED_CENTS = 1400;

test.each([
  // Hanging requests get their response in the end, or were never acknowledged.
  ['the table and its stream', 'dynamodb/process.ts', 7000],
  // Longer than the timeout of a call: the stream's consumer has to retry.
  ['the queues', 'queue-server.ts', 12_000],
])(
  '%s may fail for a while: acknowledged writes still arrive',
  async (what, command, away) => {
    const account = await newAccount({ appLimit: EVENTS }, run.local);
    await account.call(createWebhook, { body: { url: `${witness.url}/${command}` } });
    const outage = sleep(500).then(() => suspendEngine(command, away));
    // Before, during and after the outage.
    const sent = Array.from({ length: EVENTS }, async (_, index) => {
      await sleep((index * (away + 1000)) / EVENTS);
      const made = await account.call(createApp, { body: { name: `Event ${index}`, framework: 'NODE' } });
      return made.status === 201 ? [made.body.data.id] : [];
    });
    await outage;
    const acknowledged = (await Promise.all(sent)).flat();
    const arrivals = () => witness.received.filter(({ path }) => path.endsWith(command)).map(({ body }) => body);
    const missing = () => acknowledged.filter((id) => !arrivals().some((body) => body.includes(id)));
    const began = performance.now();
    await waitFor(async () => missing().length === 0);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(
      `${what}, away for ${away} ms: ${acknowledged.length} of ${EVENTS} acknowledged, all there after ${seconds} s`,
    );
    expect(acknowledged.length).toBeGreaterThan(EVENTS / 4);
  },
  120_000,
);

test('the reconciler finds a delivery that was never enqueued', async () => {
  const found = await waitFor(async () => witness.received.find(({ path }) => path.endsWith('/unqueued')));
  expect(JSON.parse(found.body)).toMatchObject({ id: `evt_${'0'.repeat(32)}`, type: 'ping' });
});

test('a payment processor that hangs delays no webhook, of its own accounts or of others', async () => {
  const account = await newAccount({}, run.local);
  await account.call(createWebhook, { body: { url: `${witness.url}/beside-payments` } });
  const deps = await platformDeps(run.local);
  const plan = { slug: 'app-test', name: 'Test', appLimit: 1 };
  const email = 'test@example.com';
  const fields = { plan, email, name: 'Hangs', walletCents: 0, aiCreditsMicroRand: 0, keys: [] };
  const open = () => openAccount(deps, { ...fields, login: randomUUID() });
  // Twice as many as there are payments at once.
  const hanging = [account, ...(await Promise.all(Array.from({ length: HANGING }, open)))];
  const card = { authorization: 'AUTH_localcard', email, brand: 'visa', lastFour: '4081' };
  const autoTopUp = { enabled: true, thresholdCents: 10_000, amountCents: UNANSWERED_CENTS };
  for (const { id } of hanging) await deps.table.transact([change(Account, { id }, { set: { card, autoTopUp } })]);
  const underWay = async () =>
    (await Promise.all(hanging.map(({ id }) => deps.table.get(Account, { id })))).filter((each) => each?.autoTopUpId);
  await waitFor(async () => (await underWay()).length >= HANGING / 2);
  const began = performance.now();
  const { id } = (await account.call(createApp, { body: { name: 'Beside', framework: 'NODE' } })).body.data;
  await waitFor(async () =>
    witness.received.some(({ path, body }) => path.endsWith('/beside-payments') && body.includes(id)),
  );
  const seconds = (performance.now() - began) / 1000;
  console.log(`a webhook beside ${hanging.length} charges that hang: ${seconds.toFixed(1)} s`);
  expect((await underWay()).length).toBeGreaterThanOrEqual(HANGING / 2);
  // One charge hangs for eight seconds; in the stream's four lanes these would take as many times ten.
  expect(seconds).toBeLessThan(20);
}, 120_000);

/** Switches are seen by the whole platform, so that they need one that other tests do not use. */
describe('what operators switch off', () => {
  const SEEN_WITHIN_MS = 15_000;
  type Call = () => Promise<ApiResponse<unknown>>;
  interface Case {
    name: SwitchName;
    target?: string;
    call: Call;
  }
  const messageOf = ({ name, target }: Case) => `Closed while we repair it: ${name} ${target ?? ''}.`;

  test('is refused within 15 s with the message and Retry-After, and works again as soon', async () => {
    const [operator, account] = await Promise.all([
      newOperator(run.local),
      newAccount({ appLimit: 1000, walletCents: 1_000_000, aiCreditsMicroRand: 50_000_000 }, run.local),
    ]);
    const create = () => account.call(createApp, { body: { name: 'Switched', deployNow: false } });
    const topUp = () => account.dashboard.call(createTopUp, { body: { amount: '50.00' } });
    // Models answer with fields of their own, which the validating client refuses.
    const plain = createClient({ baseUrl: run.local.baseUrl, secretKey: account.secretKey });
    const chat = (model: string) => () =>
      plain.call(createChatCompletion, {
        body: { model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 },
      });
    const signUp = async () => {
      const accessToken = await accessTokenOf(randomUUID(), {}, { of: run.local });
      return await clientOf({ accessToken: () => accessToken }, run.local).call(getMe);
    };
    const first: Case[] = [
      { name: 'deployments', call: create },
      { name: 'credits', call: () => account.dashboard.call(buyAiCredits, { body: { amount: '10.00' } }) },
      { name: 'credits', call: chat('mistral/mistral-small-2603') },
      { name: 'ai-provider', target: 'anthropic', call: chat('anthropic/claude-haiku-4-5') },
      { name: 'ai-model', target: 'openai/gpt-4o-mini', call: chat('openai/gpt-4o-mini') },
      {
        name: 'domain-orders',
        call: () => account.call(orderDomain, { body: { domain: uniqueDomain(), registrant } }),
      },
      { name: 'top-ups', call: topUp },
      { name: 'sign-up', call: signUp },
    ];
    const second: Case[] = [
      { name: 'read-only', call: topUp },
      { name: 'read-only', call: chat('openai/gpt-4o-mini') },
    ];
    const switched = async (cases: Case[], off: boolean) => {
      for (const each of cases) {
        const { name, target } = each;
        const body = { off, message: messageOf(each), reason: 'A drill.', ...(target ? { target } : {}) };
        expect((await operator.call(setSwitch, { params: { name }, body })).status).toBe(200);
      }
      return performance.now();
    };
    /** Calls until an answer is right. Calls that began later than within 15 s had it, however long they took. */
    const untilSeen = async (call: Call, since: number, isRight: (answer: ApiResponse<unknown>) => boolean) => {
      let lastOtherAt = since;
      const seen = await waitFor(async () => {
        const calledAt = performance.now();
        const answer = await call();
        if (isRight(answer)) return answer;
        lastOtherAt = calledAt;
        return undefined;
      });
      expect(lastOtherAt - since).toBeLessThan(SEEN_WITHIN_MS);
      return seen;
    };
    // A failed attempt may have left them off.
    await switched([...first, ...second], false);
    for (const cases of [first, second]) {
      const offAt = await switched(cases, true);
      await Promise.all(
        cases.map(async (each) => {
          const { error, headers } = await untilSeen(
            each.call,
            offAt,
            (answer) => answer.error?.message === messageOf(each),
          );
          expect([error?.code, error?.status, headers.get('retry-after')]).toEqual(['server_error', 503, '60']);
        }),
      );
      expect((await account.call(listApps)).status).toBe(200);
      const { data } = (await account.dashboard.call(getMe)).body;
      expect([...new Set(data.notices.map(({ name }) => name))].sort()).toEqual(
        [...new Set(cases.map(({ name }) => name))].sort(),
      );
      const onAt = await switched(cases, false);
      // A new login has no profile here, so that its sign-up fails either way.
      const open = cases.filter(({ name }) => name !== 'sign-up');
      await Promise.all(open.map(({ call }) => untilSeen(call, onAt, ({ status }) => status < 300)));
    }
  }, 180_000);
});
