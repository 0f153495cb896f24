import { join } from 'node:path';
import type { LoginEmulator } from '../emulators/login/login.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { FunctionSpec } from '../lambda/pool.ts';
import type { CellOfRun } from '../template/cells.ts';
import { type Accounts, seedAccounts } from './accounts.ts';
import { seedBilling } from './billing.ts';
import { seedCells } from './cells.ts';
import { seedDomains } from './domains.ts';
import { seedHostingServers } from './hosting.ts';

interface SeedOptions {
  dataDir: string;
  cells: readonly CellOfRun[];
  panelUrl: string;
  functions: readonly FunctionSpec[];
  lambda: Pick<Lambda, 'invoke'>;
  login: Pick<LoginEmulator, 'subjectOf' | 'tokenFor' | 'setPassword' | 'users'>;
}

/** Creates the demo data on the first start, with the functions that operators use. */
export async function seed({ dataDir, cells, panelUrl, login, functions, lambda }: SeedOptions): Promise<Accounts> {
  const [{ accounts, first }] = await Promise.all([
    seedAccounts(join(dataDir, 'accounts.json'), { functions, lambda, login }),
    seedHostingServers(panelUrl, functions, lambda),
    seedCells(cells, functions, lambda),
  ]);
  if (first) {
    await Promise.all([seedDomains(accounts.demo.id, functions, lambda), seedBilling(accounts, functions, lambda)]);
  }
  return accounts;
}
