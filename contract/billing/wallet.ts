import * as z from 'zod/mini';
import { WALLET_TRANSACTION_TYPES } from '../enums.ts';
import { Money, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';

/** The number of newest transactions that a wallet shows. */
export const MAX_TRANSACTIONS_SHOWN = 100;

/** A wallet (specification, Resources: Wallet). */
export const Wallet = resource('Wallet', () =>
  z.object({
    balance: Money(),
    autoTopUpEnabled: z.boolean(),
    /** The part of the balance that comes from disputed card payments; absent if there are none. */
    frozen: z.optional(Money()),
    transactions: z.array(
      z.object({
        amount: Money(),
        balanceAfter: Money(),
        type: z.enum(WALLET_TRANSACTION_TYPES),
        description: z.string(),
        createdAt: Timestamp(),
      }),
    ),
  }),
);

export const getWallet = /* @__PURE__ */ route({
  id: 'getWallet',
  method: 'GET',
  path: '/v1/wallet',
  access: 'read',
  right: 'member',
  summary: 'Read your wallet and its newest transactions',
  tag: 'Billing',
  response: () => single(Wallet()),
});
