/**
 * A noisy neighbour, as a process of its own: `node noise.ts '<settings as JSON>'`. Prints `ready` when the noise is there, and ends
 * with its standard input. Its priority is the lowest, because it stands for machines of customers that are not the platform's.
 */
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, listApps } from '../../contract/apps/apps.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { receiver } from '../../test/support/receivers.ts';
import type { Neighbour, NoiseSettings } from './neighbours.ts';
import { chat, send } from './requests.ts';

setPriority(constants.priority.PRIORITY_LOW);
const settings: NoiseSettings = JSON.parse(process.argv[2] ?? '{}');
const { baseUrl, accountId, secretKeys, host, repoUrl } = settings;
const key = (index: number): string => secretKeys[index % secretKeys.length] ?? '';

const STREAMS = 200;
const EVENTS = 5000;
/** Events that one transaction writes. */
const EVENTS_AT_ONCE = 50;
/** A stream of thirty seconds: 300 tokens at the pace of a slow model. */
const LONG_REPLY = `fault:pace=100 say exactly: ${'word '.repeat(300)}`;

/** Repeats work of which so many instances run at once. A refused one waits as it is told, others repeat at once. */
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

const post = (path: string, body: object, secretKey: string) => {
  const headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' };
  return send(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
};

/** Writes events as a change of anything does, faster than the limits of the account allow. */
async function writeEvents(): Promise<void> {
  const [{ deps }, { emit }] = await Promise.all([
    import('../../runtime/deps.ts'),
    import('../../domain/webhooks/events.ts'),
  ]);
  for (let written = 0; written < EVENTS; written += EVENTS_AT_ONCE) {
    await deps.table.transact(
      Array.from({ length: EVENTS_AT_ONCE }, (_, index) =>
        emit(deps, accountId, 'app.deleted', { applicationId: `app_${written + index}`, name: 'noise' }),
      ),
    );
  }
}

const starts: Record<Neighbour, () => Promise<void>> = {
  async requests() {
    repeat(STREAMS, () => send(`${baseUrl}/?ms=30000`, { headers: { host } }));
  },
  async streams() {
    repeat(STREAMS, (index) => chat(baseUrl, key(index), LONG_REPLY));
  },
  async events() {
    const hanging = await receiver(() => undefined);
    await post(createWebhook.path, { url: hanging.url, events: ['*'], description: '' }, key(0));
    await writeEvents();
  },
  async keys() {
    const headers = (index: number) => ({ authorization: `Bearer ${key(index)}` });
    // Without regard to what the answers say: as fast as they come.
    repeat(20, async (index) => {
      await send(baseUrl + listApps.path, { headers: headers(index) });
      return { retryAfter: 0 };
    });
  },
  async deployments() {
    const bodies = Array.from({ length: 200 }, (_, index) => ({ name: `q ${index}`, framework: 'NODE', repoUrl }));
    const answers = await Promise.all(bodies.map((body, index) => post(createApp.path, body, key(index))));
    const failed = answers.find(({ status }) => status !== 201);
    if (failed) throw new Error(`a deployment was answered ${failed.status}`);
  },
};

process.stdin.resume().on('end', () => process.exit());
await starts[settings.neighbour]();
console.log('ready');
