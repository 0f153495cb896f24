import {
  AiAccount,
  AiAudit,
  AiCall,
  AiEntry,
  AiKeyCalls,
  AiUsage,
  aiCallsOf,
  aiEntriesOf,
  aiUsageOf,
} from '../../../../table/entities/ai.ts';
import { type Contents, contents } from '../contents.ts';
import { foundUnder, inPartition, listed, one } from '../readers.ts';
import { account, ofAccount } from './accounts.ts';

/** AI credits and calls. */
export const AI_CONTENTS: readonly Contents[] = [
  contents(
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
    one(AiAccount, ofAccount),
  ),
  contents(
    AiEntry,
    'tax',
    {
      file: 'ai-credit-entries',
      shows: [
        ...([
          'id',
          'requestId',
          'type',
          'model',
          'inputTokens',
          'cachedTokens',
          'cacheWriteTokens',
          'outputTokens',
        ] as const),
        ...(['price', 'estimated', 'amountMicroRand', 'createdAt', 'keyId'] as const),
      ],
      omits: { accountId: 'elsewhere', window: 'internal', keySumAtClose: 'internal' },
    },
    listed(AiEntry, aiEntriesOf),
  ),
  contents(
    AiCall,
    'removed',
    {
      file: 'ai-requests',
      shows: [
        ...([
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
        ] as const),
        ...(['outputTokens', 'amountMicroRand', 'durationMs', 'firstByteMs'] as const),
      ],
      omits: { accountId: 'elsewhere' },
    },
    inPartition(AiCall, aiCallsOf),
  ),
  contents(
    AiUsage,
    'removed',
    {
      file: 'ai-usage',
      shows: ['day', 'keyId', 'model', 'calls', 'inputTokens', 'outputTokens', 'microRand'],
      omits: { accountId: 'elsewhere', throughWindow: 'internal' },
    },
    listed(AiUsage, aiUsageOf),
  ),
  contents(AiAudit, 'removed', 'internal', one(AiAudit, ofAccount)),
  contents(
    AiKeyCalls,
    'removed',
    'internal',
    foundUnder(account, AiKeyCalls, ({ id }) => [{ accountId: id, keyId: '' }]),
  ),
];
