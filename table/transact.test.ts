import { expect, test } from 'vitest';
import { memoryTable } from '../test/support/memory-table.ts';
import { DomainName } from './entities/registrar.ts';
import { createTable, type Send } from './table.ts';
import { transact } from './transact.ts';
import { check, create } from './writes.ts';

/** Sends a transaction that DynamoDB answers with these errors, one after another, and then makes; returns the token of each try. */
async function tokensAfter(...errors: { name: string; detail?: object }[]): Promise<string[]> {
  const tokens: string[] = [];
  const memory = memoryTable();
  const send: Send = async (operation, input) => {
    tokens.push(String((input as { ClientRequestToken: string }).ClientRequestToken));
    const error = errors.shift();
    if (error) throw Object.assign(new Error(error.name), error);
    return await memory.send(operation, input);
  };
  await transact(send, 'table', [create(DomainName, { name: 'example.com', accountId: 'acc_1', domainId: 'dom_1' })]);
  return tokens;
}

test('a transaction in progress is retried with its token, so that it is applied once', async () => {
  const inProgress = { name: 'TransactionInProgressException' };
  const tokens = await tokensAfter(inProgress, inProgress);
  expect(tokens).toHaveLength(3);
  expect(new Set(tokens).size).toBe(1);
});

test('a transaction that lost a conflict is retried with a new token', async () => {
  const detail = { CancellationReasons: [{ Code: 'TransactionConflict' }] };
  const tokens = await tokensAfter({ name: 'TransactionCanceledException', detail });
  expect(new Set(tokens).size).toBe(2);
});

test('a check outside a transaction is refused without a request', async () => {
  const sent: string[] = [];
  const send: Send = async (operation) => void sent.push(operation) as never;
  const write = check(DomainName, { name: 'example.com' }, {}, () => new Error('failed'));
  await expect(createTable(send, 'table').write(DomainName, write)).rejects.toThrow('transaction');
  expect(sent).toEqual([]);
});
