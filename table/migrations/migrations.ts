import { walletVersion } from './0001-wallet-version.ts';
import { deliveryStep } from './0002-delivery-step.ts';
import type { Migration } from './migration.ts';

/** All migrations, in the order in which they run. */
export const MIGRATIONS: readonly Migration[] = [walletVersion, deliveryStep];
