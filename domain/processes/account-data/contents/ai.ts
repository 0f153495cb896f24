import {
  AiAccount,
  AiAudit,
  AiCall,
  AiEntry,
  AiKeySpending,
  AiUsage,
  aiCallsOf,
  aiEntriesOf,
  aiUsageOf,
} from '../../../../table/entities/ai.ts';
import { type Contents, defineContents } from '../contents.ts';
import { itemReader, keyedReader, listReader, partitionReader, type Reader } from '../item-readers.ts';
import { accountKeyOf, readApiKeys } from './accounts.ts';

/** Reads whose AI calls are counted: the logins, as one key with an empty id, and the API keys. */
const readCallers: Reader<{ accountId: string; keyId: string }> = async function* (table, accountId, after) {
  const logins = '';
  if (after === undefined) yield [logins, { accountId, keyId: '' }];
  for await (const [position, { id }] of readApiKeys(table, accountId, after === logins ? undefined : after))
    yield [position, { accountId, keyId: id }];
};

/** Contents of an account: AI credits and calls. */
export const AI_CONTENTS: readonly Contents[] = [
  defineContents(
    AiAccount,
    'removed',
    {
      file: 'ai-account',
      shows: ['balanceMicroRand', 'availableMicroRand', 'debtMicroRand', 'callLimit'],
      omits: {
        accountId: 'elsewhere',
        keys: 'secret',
        openCalls: 'internal',
        closedWindow: 'internal',
        holds: 'internal',
        dueAt: 'internal',
      },
    },
    itemReader(AiAccount, accountKeyOf),
  ),
  defineContents(
    AiEntry,
    'tax',
    {
      file: 'ai-credit-entries',
      shows: [
        'id',
        'requestId',
        'type',
        'model',
        'inputTokens',
        'cachedTokens',
        'cacheWriteTokens',
        'outputTokens',
        'price',
        'estimated',
        'amountMicroRand',
        'createdAt',
        'keyId',
      ],
      omits: { accountId: 'elsewhere', window: 'internal', keySumAtClose: 'internal', keyRestAtClose: 'internal' },
    },
    listReader(AiEntry, aiEntriesOf),
  ),
  defineContents(
    AiCall,
    'removed',
    {
      file: 'ai-requests',
      shows: [
        'id',
        'keyId',
        'requestId',
        'createdAt',
        'model',
        'provider',
        'saved',
        'status',
        'code',
        'inputTokens',
        'outputTokens',
        'amountMicroRand',
        'durationMs',
        'firstByteMs',
      ],
      omits: { accountId: 'elsewhere' },
    },
    partitionReader(AiCall, aiCallsOf),
  ),
  defineContents(
    AiUsage,
    'removed',
    {
      file: 'ai-usage',
      shows: ['day', 'keyId', 'model', 'calls', 'inputTokens', 'outputTokens', 'microRand'],
      omits: { accountId: 'elsewhere', throughWindow: 'internal' },
    },
    listReader(AiUsage, aiUsageOf),
  ),
  defineContents(AiAudit, 'removed', 'internal', itemReader(AiAudit, accountKeyOf)),
  defineContents(
    AiKeySpending,
    'removed',
    'internal',
    keyedReader(readCallers, AiKeySpending, (caller) => [caller]),
  ),
];
