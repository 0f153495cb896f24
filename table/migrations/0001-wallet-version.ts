import type { Migration } from './migration.ts';

/**
 * Renames `walletSerial` of accounts to `walletVersion`. Without it, an older account could not pay, because the next entry in its
 * ledger would get the number of the first entry.
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
