/**
 * Makes only table calls, with the AI gateway's client and expressions: `GET /<count>` makes that many, 50 at a time. Listens on PORT; all
 * other settings are a function's environment variables.
 */
import { createServer } from 'node:http';
import { countCall } from '../../domain/ai/key-calls.ts';
import { sumAttribute, windowAt } from '../../domain/ai/windows.ts';
import { deps } from '../../runtime/deps.ts';
import { AiAccount } from '../../table/entities/ai.ts';
import { upsert } from '../../table/writes.ts';
import { repeatConcurrently } from './load.ts';

const CONCURRENCY = 50;
const KEY_ID = 'key_bench';
const account = { accountId: 'acc_bench' };

/** The write that holds the maximum cost of a call. Among the writes of an AI call, its size is average. */
const holdCost = () => {
  const window = windowAt(Date.now());
  return deps.table.updateReturningChanged(
    upsert(AiAccount, account, {
      set: account,
      add: { availableMicroRand: -1, [sumAttribute('held', window)]: 1, ...countCall(KEY_ID, window, 1) },
      when: { openCalls: { absentOrBelow: Number.MAX_SAFE_INTEGER } },
    }),
  );
};

const server = createServer(async ({ url = '/0' }, response) => {
  await repeatConcurrently(Number(url.slice(1)), CONCURRENCY, holdCost);
  response.end();
});
server.listen(Number(process.env.PORT), '127.0.0.1');
