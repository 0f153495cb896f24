/**
 * Makes table calls as the AI gateway does, with its client and its expressions, and nothing else: `GET /<times>` makes so many,
 * 50 at a time. Listens on PORT; all other settings are a function's environment variables.
 */
import { createServer } from 'node:http';
import { deps } from '../../runtime/deps.ts';
import { AiUsage } from '../../table/entities/ai.ts';
import { atMostOnce, upsert } from '../../table/writes.ts';
import { many } from './load.ts';

const AT_ONCE = 50;
const of = { accountId: 'acc_bench', day: '2026-11-25', keyId: 'key_bench', model: 'openai/gpt-4o-mini' };
const sums = { calls: 1, inputTokens: 6, outputTokens: 64, microRand: 708 };

/** The write of a call's statistics: of a medium size among those that a call makes. */
const call = () =>
  deps.table.updateReturningChanged(
    atMostOnce(upsert(AiUsage, of, { set: { ...of, expiresAtEpoch: 1_798_225_797 }, add: sums })),
  );

const server = createServer(async ({ url = '/0' }, response) => {
  await many(Number(url.slice(1)), AT_ONCE, call);
  response.end();
});
server.listen(Number(process.env.PORT), '127.0.0.1');
