import { afterEach, expect, test, vi } from 'vitest';
import { memoryTable } from '../test/support/memory-table.ts';
import { DomainName } from './entities/registrar.ts';
import { isTemporary, isThrottling, translateCancellation } from './refusals.ts';
import { createTable, type Send } from './table.ts';
import { transact } from './transact.ts';
import { change, check, create } from './writes.ts';

const NAME = { name: 'example.com', accountId: 'acc_1', domainId: 'dom_1' };
const failing = (name: string, detail?: object) => Object.assign(new Error(name), { name, detail });

afterEach(() => void vi.useRealTimers());

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
  await transact(send, 'table', [create(DomainName, NAME)]);
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

test('a write that conflicts with a transaction is retried, and returns the changed item', async () => {
  const { send, table } = memoryTable();
  await table.transact([create(DomainName, NAME)]);
  const errors = [failing('TransactionConflictException'), failing('TransactionConflictException')];
  const conflicting: Send = async (operation, input) => {
    const error = errors.shift();
    if (error) throw error;
    return await send(operation, input);
  };
  const write = change(DomainName, { name: NAME.name }, { set: { domainId: 'dom_2' } });
  expect(await createTable(conflicting, 'table').write(DomainName, write)).toEqual({ ...NAME, domainId: 'dom_2' });
});

const CONFLICT = { CancellationReasons: [{ Code: 'TransactionConflict' }] };
test.each<[string, Error, (send: Send) => Promise<unknown>]>([
  [
    'a transaction',
    failing('TransactionCanceledException', CONFLICT),
    (send) => transact(send, 'table', [create(DomainName, NAME)]),
  ],
  [
    'a write',
    failing('TransactionConflictException'),
    (send) => createTable(send, 'table').write(DomainName, create(DomainName, NAME)),
  ],
])('%s is attempted eight times, with pauses, before it fails for now', async (_what, error, act) => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  let attempts = 0;
  const failed = act(async () => {
    attempts += 1;
    throw error;
  }).catch((thrown: unknown) => thrown);
  await vi.advanceTimersByTimeAsync(0);
  expect(attempts).toBe(1);
  await vi.runAllTimersAsync();
  expect([attempts, await failed]).toEqual([8, error]);
  expect(isTemporary(error)).toBe(true);
});

// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
test.each(['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded'])(
  'a request that DynamoDB refuses with %s is throttled, and may be repeated later',
  (name) => {
    expect([isThrottling(failing(name)), isTemporary(failing(name))]).toEqual([true, true]);
  },
);

test('an error other than a conflict is thrown at once, and is not temporary', async () => {
  const error = failing('ValidationException');
  let attempts = 0;
  const send: Send = async () => {
    attempts += 1;
    throw error;
  };
  await expect(createTable(send, 'table').write(DomainName, create(DomainName, NAME))).rejects.toBe(error);
  expect([attempts, isTemporary(error)]).toEqual([1, false]);
});

const REASONS: [codes: string[] | undefined, outcome: string][] = [
  [['None', 'ConditionalCheckFailed'], 'second refused'],
  [['ConditionalCheckFailed', 'ConditionalCheckFailed'], 'first refused'],
  [['TransactionConflict', 'ConditionalCheckFailed'], 'second refused'],
  [['None', 'TransactionConflict'], 'second conflicts'],
  [['TransactionConflict', 'None'], 'retry'],
  [['None', 'ThrottlingError'], 'retry'],
  [['None', 'ProvisionedThroughputExceeded'], 'retry'],
  [['None', 'ValidationError'], 'TransactionCanceledException'],
  [undefined, 'TransactionCanceledException'],
];
test.each(REASONS)('a transaction that is cancelled because of %j has the outcome: %s', (codes, outcome) => {
  const refusable = (name: string) => create(DomainName, NAME, () => new Error(`${name} refused`));
  const writes = [refusable('first'), { ...refusable('second'), onConflict: () => new Error('second conflicts') }];
  const error = failing(
    'TransactionCanceledException',
    codes && { CancellationReasons: codes.map((Code) => ({ Code })) },
  );
  const translated = translateCancellation(error, writes);
  expect(translated instanceof Error ? translated.message : translated).toBe(outcome);
});

test('a check outside a transaction is refused without a request', async () => {
  const sent: string[] = [];
  const send: Send = async (operation) => void sent.push(operation) as never;
  const write = check(DomainName, { name: 'example.com' }, {}, () => new Error('failed'));
  await expect(createTable(send, 'table').write(DomainName, write)).rejects.toThrow('transaction');
  expect(sent).toEqual([]);
});
