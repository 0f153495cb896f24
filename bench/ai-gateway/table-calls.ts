/**
 * Makes only table calls, with the AI gateway's client and expressions: `GET /<count>` makes that many, 50 at a time. Listens on PORT; all
 * other settings are a function's environment variables.
 */
import { createServer } from 'node:http';
import { deps } from '../../runtime/deps.ts';
import { AiKeyCalls } from '../../table/entities/ai.ts';
import { upsert } from '../../table/writes.ts';
import { repeatConcurrently } from './load.ts';

const CONCURRENCY = 50;
const key = { accountId: 'acc_bench', keyId: 'key_bench' };

/** The write that counts an open call of a key. Among the writes of an AI call, its size is average. */
const countOpenCall = () =>
  deps.table.updateReturningChanged(
    upsert(AiKeyCalls, key, {
      set: { ...key, expiresAtEpoch: 1_798_225_797 },
      add: { openCalls: 1, calls_7492838: 1 },
      when: { openCalls: { absentOrBelow: Number.MAX_SAFE_INTEGER } },
    }),
  );

const server = createServer(async ({ url = '/0' }, response) => {
  await repeatConcurrently(Number(url.slice(1)), CONCURRENCY, countOpenCall);
  response.end();
});
server.listen(Number(process.env.PORT), '127.0.0.1');
