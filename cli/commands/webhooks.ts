import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ConnectionError, EVENT_TYPES, type FollowedEvent, followEvents } from '../../client/index.ts';
import { type Command, type Context, UsageError, YES } from '../command.ts';
import { forward } from '../forward.ts';
import { listing } from '../listing.ts';
import { printable } from '../output.ts';

const WEBHOOK = { name: 'webhook', description: 'Id of the endpoint' } as const;
const EVENTS = {
  name: 'events',
  value: 'list',
  description: 'Event types, separated by commas. Default: all',
} as const;
/** The pauses after connection failures in milliseconds. The last one repeats. */
const PAUSES_MS = [1000, 2000, 5000, 10_000, 30_000];

const list = listing({
  name: 'webhooks list',
  summary: 'List your webhook endpoints',
  read: ({ client, signal }) => client().listWebhooks({ limit: 100 }, { signal }).all(),
  columns: {
    url: ({ url }) => url,
    events: ({ events }) => events.join(', '),
    active: ({ active }) => (active ? 'yes' : 'no'),
    id: ({ id }) => id,
  },
  none: 'No endpoints yet. hosting webhooks listen receives events without one.',
});

const create: Command = {
  name: 'webhooks create',
  summary: 'Register a webhook endpoint; its signing secret is shown once',
  arguments: [{ name: 'url', description: 'A public https:// address' }],
  options: [EVENTS],
  async run({ client, argument, option, out, signal }) {
    const events = option('events')?.split(',');
    const made = await client().createWebhook(
      { url: argument('url'), ...(events ? { events: events as never } : {}) },
      { signal },
    );
    out.result(made, () => out.fields({ id: made.id, url: made.url, secret: made.secret }));
  },
};

const remove: Command = {
  name: 'webhooks delete',
  summary: 'Delete a webhook endpoint',
  arguments: [WEBHOOK],
  options: [YES],
  async run({ client, argument, out, confirm, signal }) {
    const id = argument('webhook');
    await confirm(`Delete ${id}? It receives no further events.`);
    const deleted = await client().deleteWebhook({ id }, { signal });
    out.result(deleted, () => out.line('Deleted.'));
  },
};

const deliveries = listing({
  name: 'webhooks deliveries',
  summary: 'List the recent deliveries of an endpoint, with their responses',
  arguments: [WEBHOOK],
  read: async ({ client, argument, signal }) =>
    (await client().listDeliveries({ id: argument('webhook'), limit: 50 }, { signal })).data,
  columns: {
    id: ({ id }) => id,
    type: ({ type }) => type,
    status: ({ status }) => status,
    attempts: ({ attempts }) => attempts.length,
    response: ({ attempts }) => attempts.at(-1)?.responseStatus ?? attempts.at(-1)?.outcome ?? null,
    created: ({ createdAt }) => createdAt,
  },
  none: 'No deliveries yet.',
});

const resend: Command = {
  name: 'webhooks resend',
  summary: 'Resend a delivery: the same event, with six new attempts',
  arguments: [{ name: 'delivery', description: 'Id of the delivery, from hosting webhooks deliveries' }],
  async run({ client, argument, out, signal }) {
    const delivery = await client().resendDelivery({ id: argument('delivery') }, { signal });
    out.result(delivery, () => out.line(`${delivery.type} is being resent.`));
  },
};

/** Follows events across connection failures. Events that happen in the meantime arrive after it has reconnected. */
async function* followAlways(context: Context, after: string | undefined, ready: (cursor: string) => void) {
  const { client, out, signal } = context;
  let cursor = after;
  let failures = 0;
  for (;;) {
    try {
      const followed = followEvents(client(), { after: cursor, signal }, (at) => {
        if (cursor === undefined) ready(at);
        cursor = at;
        failures = 0;
      });
      yield* followed;
    } catch (error) {
      const isTransient = error instanceof ConnectionError || (error instanceof ApiError && error.status >= 429);
      if (!isTransient || signal.aborted || cursor === undefined) throw error;
      const pause = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] ?? 0;
      failures += 1;
      out.note(`${error.message} Trying again in ${pause / 1000} s.`);
      await sleep(pause, undefined, { signal });
    }
  }
}

/** Parses event types. @throws UsageError for an unknown type, which would never arrive */
function parseTypes(text: string | undefined): string[] | undefined {
  const types = text?.split(',').map((type) => type.trim());
  const unknown = types?.find((type) => type !== '*' && !EVENT_TYPES.some((known) => known === type));
  if (unknown !== undefined) throw new UsageError(`"${unknown}" is no event type: ${EVENT_TYPES.join(', ')}.`);
  return types?.includes('*') ? undefined : types;
}

function parseTarget(text: string): string {
  const address = /^\d+$/.test(text) ? `http://localhost:${text}` : text;
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new UsageError(`--forward needs an address such as http://localhost:3000, not ${text}.`);
  return address;
}

/** Shows an event, and forwards it to the target if there is one. */
async function handle({ out, signal }: Context, { event, cursor }: FollowedEvent, target?: string, secret = '') {
  const time = out.style('dim', event.created);
  if (target === undefined) {
    out.item({ ...event, cursor }, () =>
      out.line(`${time}  ${event.type}  ${event.id}  ${printable(JSON.stringify(event.data))}`),
    );
    return;
  }
  const forwarded = await forward(target, event, secret, signal);
  const { status, error, durationMs } = forwarded;
  out.item({ ...event, cursor, forwarded }, () => {
    const isGood = status !== null && status < 300;
    const outcome = out.style(isGood ? 'green' : 'red', String(status ?? error));
    out.line(`${time}  ${event.type}  ${event.id}  ${outcome}  ${durationMs} ms`);
  });
}

const listen: Command = {
  name: 'webhooks listen',
  summary: 'Show events as they happen, and forward them to this machine',
  description:
    'Forwarded events are signed like real deliveries, with a secret for this machine that the command prints at the start. The command forwards each event once, in order. After a lost connection it continues where it stopped.',
  options: [
    {
      name: 'forward',
      value: 'url',
      description: 'Address or port that receives each event, such as http://localhost:3000/hooks or 3000',
    },
    EVENTS,
    {
      name: 'after',
      value: 'cursor',
      description: 'Begin after a cursor that --json printed. Default: only new events',
    },
    { name: 'count', value: 'number', description: 'End after this number of events' },
  ],
  examples: [
    'hosting webhooks listen --forward http://localhost:3000/hooks',
    'hosting webhooks listen --events deployment.failed --json',
  ],
  async run(context) {
    const { option, out, settings, api, client } = context;
    const forwardTo = option('forward');
    const target = forwardTo === undefined ? undefined : parseTarget(forwardTo);
    const types = parseTypes(option('events'));
    const count = Number(option('count') ?? Number.POSITIVE_INFINITY);
    if (!(count > 0)) throw new UsageError('--count must be a number above 0.');
    client();
    const secret = settings.of(api()).webhookSecret ?? `whsec_${randomBytes(32).toString('base64')}`;
    if (target !== undefined) {
      settings.update(api(), { webhookSecret: secret });
      out.note(`Signing secret: ${secret}`);
    }
    out.note(`Listening${target === undefined ? '' : `, forwarding to ${target}`}. Press Ctrl-C to stop.`);
    let remaining = count;
    for await (const followed of followAlways(context, option('after'), () => out.note('Ready.'))) {
      if (types && !types.includes(followed.event.type)) continue;
      await handle(context, followed, target, secret);
      remaining -= 1;
      if (remaining <= 0) return;
    }
  },
};

export const webhookCommands: readonly Command[] = [list, create, remove, deliveries, resend, listen];
