import * as z from 'zod/mini';
import { WALLET_TRANSACTION_TYPES } from '../enums.ts';
import { Money, one, resource, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';

/** How many transactions a wallet shows: the newest (design, Billing). */
export const TRANSACTIONS_SHOWN = 100;

/** Specification, Resources: Wallet. */
export const Wallet = resource('Wallet', () =>
  z.object({
    balance: Money(),
    autoTopUpEnabled: z.boolean(),
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

export const getWallet = route({
  id: 'getWallet',
  method: 'GET',
  path: '/v1/wallet',
  access: 'read',
  summary: 'Read your wallet and its newest transactions',
  tag: 'Billing',
  response: () => one(Wallet()),
});
