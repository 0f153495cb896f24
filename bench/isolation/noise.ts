/**
 * A noisy neighbor in a separate process: `node noise.ts '<settings as JSON>'`. Prints `ready` once the noise runs, and exits when its
 * standard input ends. Its session has the lowest priority, because it represents the customers' machines, which do not share the
 * platform's processors.
 */
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, listApps } from '../../contract/apps/apps.ts';
import { createClient } from '../../contract/client.ts';
import { createWebhook, deleteWebhook } from '../../contract/webhooks/endpoints.ts';
import { setSessionNiceness } from '../../local/processes/niceness.ts';
import { receiver } from '../../test/support/receivers.ts';
import type { Neighbor, NoiseSettings } from './neighbors.ts';
import { chat, send } from './requests.ts';

setPriority(constants.priority.PRIORITY_LOW);
await setSessionNiceness(process.pid, constants.priority.PRIORITY_LOW);
const settings: NoiseSettings = JSON.parse(process.argv[2] ?? '{}');
const { baseUrl, accountId, secretKeys, host, repoUrl } = settings;
const key = (index: number): string => secretKeys[index % secretKeys.length] ?? '';

const STREAMS = 200;
const EVENTS = 5000;
/** Events per transaction. */
const EVENTS_PER_TRANSACTION = 50;
/** A stream of thirty seconds: 300 tokens at the pace of a slow model. */
const LONG_REPLY = `fault:pace=100 say exactly: ${'word '.repeat(300)}`;

/** Repeats work in `count` concurrent loops. A refused call waits for its Retry-After; others repeat immediately. */
function repeat(count: number, work: (index: number) => Promise<{ retryAfter: number }>): void {
  for (let index = 0; index < count; index += 1) {
    void (async () => {
      for (;;) {
        const { retryAfter } = await work(index).catch(() => ({ retryAfter: 1 }));
        if (retryAfter > 0) await sleep(retryAfter * 1000);
      }
    })();
  }
}

/** Creates an application with a deployment. If the API refuses it (429), retries after its Retry-After. */
async function createAndDeploy(name: string, secretKey: string): Promise<void> {
  const headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name, framework: 'NODE', repoUrl });
  for (;;) {
    const { status, retryAfter } = await send(baseUrl + createApp.path, { method: 'POST', headers, body });
    if (status === 201) return;
    if (status !== 429) throw new Error(`a deployment was answered with ${status}`);
    await sleep(retryAfter * 1000);
  }
}

/** Writes events directly to the table, faster than the account's limits allow. */
async function writeEvents(): Promise<void> {
  const [{ deps }, { emit }] = await Promise.all([
    import('../../runtime/deps.ts'),
    import('../../domain/webhooks/events.ts'),
  ]);
  for (let written = 0; written < EVENTS; written += EVENTS_PER_TRANSACTION) {
    await deps.table.transact(
      Array.from({ length: EVENTS_PER_TRANSACTION }, (_, index) =>
        emit(deps, accountId, 'app.deleted', { applicationId: `app_${written + index}`, name: 'noise' }),
      ),
    );
  }
}

const noCleanup = async (): Promise<void> => undefined;

/** Start the noise. Each returns a function that removes what would outlive this process. */
const starters: Record<Neighbor, () => Promise<() => Promise<unknown>>> = {
  async requests() {
    repeat(STREAMS, () => send(`${baseUrl}/?ms=30000`, { headers: { host } }));
    return noCleanup;
  },
  async streams() {
    repeat(STREAMS, (index) => chat(baseUrl, key(index), LONG_REPLY));
    return noCleanup;
  },
  async events() {
    const hanging = await receiver(() => undefined);
    const client = createClient({ baseUrl, secretKey: key(0) });
    const created = await client.call(createWebhook, { body: { url: hanging.url, events: ['*'], description: '' } });
    if (created.error) throw new Error(created.error.message);
    await writeEvents();
    // Deleting the endpoint also drops its queued deliveries.
    return () => client.call(deleteWebhook, { params: { id: created.body.data.id } });
  },
  async keys() {
    const headers = (index: number) => ({ authorization: `Bearer ${key(index)}` });
    // Ignores the responses and repeats as fast as possible.
    repeat(20, async (index) => {
      await send(baseUrl + listApps.path, { headers: headers(index) });
      return { retryAfter: 0 };
    });
    return noCleanup;
  },
  async deployments() {
    await Promise.all(Array.from({ length: 200 }, (_, index) => createAndDeploy(`queued ${index}`, key(index))));
    return noCleanup;
  },
};

const ended = once(process.stdin.resume(), 'end');
const cleanUp = await starters[settings.neighbor]();
console.log('ready');
await ended;
await cleanUp();
process.exit();
