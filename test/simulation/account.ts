import { Account } from '../../table/entities/accounts.ts';
import { create, type Write } from '../../table/writes.ts';

/** Returns the write that opens an account for a simulation, with the limits of its plan. */
export const newSimulatedAccount = (id: string, fields: Partial<Account> = {}): Write =>
  create(Account, {
    id,
    email: 'test@example.com',
    name: 'Test',
    plan: { slug: 'app-10', name: 'App 10', appLimit: 10 },
    appCount: 0,
    walletCents: 0,
    createdAt: '2026-01-01T00:00:00.000Z',
    ...fields,
  });
