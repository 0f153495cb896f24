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
import { type Contents, defineContents, defineUnread } from '../contents.ts';
import { itemReader, keyedReader, nestedReader, partitionReader, type Reader } from '../item-readers.ts';
import { accountKeyOf } from './accounts.ts';

const readWebhooks = partitionReader(Webhook, webhooksOf);
const readDeliveries = nestedReader(readWebhooks, async function* (table, { id }, after) {
  for await (const item of table.each(Delivery, deliveriesOf(id), after))
    yield [Delivery.list?.(item)?.listSk ?? '', item];
});
const attemptsOf = ({ accountId, id, made }: Delivery) =>
  Array.from({ length: made?.count ?? 0 }, (_, number) => ({ accountId, deliveryId: id, number }));

/** Reads an account's event feed, from the newest event back to the oldest stored one. */
const readFeed: Reader<FeedEntry> = async function* (table, accountId, after) {
  const end = after === undefined ? ((await table.get(EventFeed, { accountId }))?.position ?? 0) + 1 : Number(after);
  for (let position = end - 1; position > 0; position -= 1) {
    const entry = await table.get(FeedEntry, { accountId, position });
    if (!entry) return;
    yield [String(position), entry];
  }
};

/** Contents of an account: events, endpoints and deliveries. */
export const WEBHOOK_CONTENTS: readonly Contents[] = [
  defineContents(
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
    readWebhooks,
  ),
  defineContents(
    FeedEntry,
    'expires',
    { file: 'events', shows: ['position', 'id', 'type', 'created', 'data'], omits: { accountId: 'elsewhere' } },
    readFeed,
  ),
  defineUnread(Event, 'expires', 'elsewhere'),
  defineContents(EventFeed, 'removed', 'internal', itemReader(EventFeed, accountKeyOf)),
  defineContents(
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
    readDeliveries,
    (delivery) => attemptsOf(delivery).map(DeliveryAttempt.key),
  ),
  defineContents(
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
    keyedReader(readDeliveries, DeliveryAttempt, attemptsOf),
  ),
];
