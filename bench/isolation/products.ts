import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, listApps } from '../../contract/apps/apps.ts';
import type { Receiver } from '../../test/support/receivers.ts';
import type { Customer } from './customers.ts';
import { chat, send, type TimedResponse } from './requests.ts';

interface QuietAccount {
  baseUrl: string;
  customer: Customer;
  /** Host name of the customer's application. */
  host: string;
  hook: Receiver;
}

/** Returns the products of the quiet account. Each function uses its product once and returns the milliseconds. */
export function productsOf({ baseUrl, customer, host, hook }: QuietAccount) {
  let keyUses = 0;
  const nextKey = (): string => customer.secretKeys[keyUses++ % customer.secretKeys.length] ?? '';
  /** Throws for a response with another status, which measures nothing. */
  const expectStatus = (response: TimedResponse, status: number): TimedResponse => {
    if (response.status !== status) throw new Error(`the quiet account was answered with ${response.status}`);
    return response;
  };
  return {
    'API request': async (signal: AbortSignal) => {
      const headers = { authorization: `Bearer ${nextKey()}` };
      return expectStatus(await send(baseUrl + listApps.path, { headers, signal }), 200).totalMs;
    },
    page: async (signal: AbortSignal) => expectStatus(await send(baseUrl, { headers: { host }, signal }), 200).totalMs,
    'AI first byte': async (signal: AbortSignal) =>
      expectStatus(await chat(baseUrl, nextKey(), 'say exactly: ok', signal), 200).firstByteMs,
    delivery: async (signal: AbortSignal) => {
      const before = hook.received.length;
      const began = Date.now();
      const body = JSON.stringify({ name: `app ${keyUses}`, framework: 'NODE' });
      const headers = { authorization: `Bearer ${nextKey()}`, 'content-type': 'application/json' };
      expectStatus(await send(baseUrl + createApp.path, { method: 'POST', headers, body, signal }), 201);
      while (hook.received.length === before) await sleep(5, undefined, { signal });
      return (hook.received.at(-1)?.at ?? 0) - began;
    },
  };
}
export type Products = ReturnType<typeof productsOf>;
export type Product = keyof Products;
