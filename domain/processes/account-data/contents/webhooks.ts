import {
  Delivery,
  DeliveryAttempt,
  deliveriesOf,
  Event,
  EventFeed,
  FeedEntry,
  Webhook,
  webhooksOf,
} from '../../../../table/entities/webhooks.ts';
import { type Contents, contents, unread } from '../contents.ts';
import { foundUnder, inPartition, one, type Reader, under } from '../readers.ts';
import { ofAccount } from './accounts.ts';

const webhooks = inPartition(Webhook, webhooksOf);
const deliveries = under(webhooks, async function* (table, { id }, after) {
  for await (const item of table.each(Delivery, deliveriesOf(id), after))
    yield [Delivery.list?.(item)?.listSk ?? '', item];
});
const attemptsOf = ({ accountId, id, made }: Delivery) =>
  Array.from({ length: made?.count ?? 0 }, (_, number) => ({ accountId, deliveryId: id, number }));

/** The feed of an account, from its end backwards to the oldest event that is kept. */
const feed: Reader<FeedEntry> = async function* (table, accountId, after) {
  const end = after === undefined ? ((await table.get(EventFeed, { accountId }))?.position ?? 0) + 1 : Number(after);
  for (let position = end - 1; position > 0; position -= 1) {
    const entry = await table.get(FeedEntry, { accountId, position });
    if (!entry) return;
    yield [String(position), entry];
  }
};

/** Events, endpoints and deliveries. */
export const WEBHOOK_CONTENTS: readonly Contents[] = [
  contents(
    Webhook,
    'removed',
    {
      file: 'webhooks',
      shows: [
        'id',
        'url',
        'description',
        'events',
        'active',
        'failureCount',
        'disabledAt',
        'heldSince',
        'suspension',
        'createdAt',
      ],
      omits: {
        accountId: 'elsewhere',
        secret: 'secret',
        previous: 'secret',
        slowAttempts: 'internal',
        slowUntil: 'internal',
      },
    },
    webhooks,
  ),
  contents(
    FeedEntry,
    'expires',
    { file: 'events', shows: ['position', 'id', 'type', 'created', 'data'], omits: { accountId: 'elsewhere' } },
    feed,
  ),
  unread(Event, 'expires', 'elsewhere'),
  contents(EventFeed, 'removed', 'internal', one(EventFeed, ofAccount)),
  contents(
    Delivery,
    'removed',
    {
      file: 'deliveries',
      shows: [
        'id',
        'webhookId',
        'eventId',
        'type',
        'body',
        'status',
        'createdAt',
        'nextAttemptAt',
        'attempts',
        'made',
        'tries',
      ],
      omits: { accountId: 'elsewhere', step: 'internal', resendAt: 'internal', held: 'internal' },
    },
    deliveries,
    (delivery) => attemptsOf(delivery).map(DeliveryAttempt.key),
  ),
  contents(
    DeliveryAttempt,
    'part',
    {
      file: 'delivery-attempts',
      shows: [
        'deliveryId',
        'number',
        'id',
        'at',
        'outcome',
        'responseStatus',
        'responseBody',
        'responseHeaders',
        'timing',
        'durationMs',
      ],
      omits: { accountId: 'elsewhere', step: 'internal' },
    },
    foundUnder(deliveries, DeliveryAttempt, attemptsOf),
  ),
];
