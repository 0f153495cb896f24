import type { Migration } from './migration.ts';

/**
 * `walletSerial` of accounts is `walletVersion`. Without it, an account from before could not pay: the next entry of its ledger
 * would take the number of the first.
 */
export const walletVersion: Migration = {
  name: '0001-wallet-version',
  entity: 'ACCOUNT',
  to: 2,
  reads: ['walletSerial', 'walletVersion'],
  forward: ({ walletSerial, walletVersion }) => {
    if (walletSerial === undefined) return undefined;
    return {
      ...(walletVersion === undefined ? { set: { walletVersion: walletSerial } } : {}),
      remove: ['walletSerial'],
    };
  },
};
