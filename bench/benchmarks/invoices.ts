import { Agent, request } from 'node:http';
import type { ItemOf } from '../../table/entity.ts';
import { measureAlternately, type Row } from '../measure.ts';
import { startMeasuredRun } from '../processes/run.ts';
import { writeItems } from '../write-items.ts';

const TIMES = 300;
const WARM_UP = 50;
const MANY = 100_000;
const FEW = 10;

/**
 * Compares page 1 of the invoices of an account with many invoices with that of an account with few, for all invoices and for one status.
 */
export async function rows(): Promise<Row[]> {
  const run = await startMeasuredRun({ RATE_LIMIT_SECRET: '10000000' });
  try {
    Object.assign(process.env, run.local.environment);
    const [{ openAccount }, { deps }, { InvoiceByStatus, Invoice }, { toStoredItem: itemOf }] = await Promise.all([
      import('../../domain/accounts/accounts.ts'),
      import('../../runtime/deps.ts'),
      import('../../table/entities/billing.ts'),
      import('../../table/writes.ts'),
    ]);
    const TableName = String(process.env.TABLE_NAME);
    const endpoint = String(process.env.AWS_ENDPOINT_URL_DYNAMODB);
    const invoices = (accountId: string, count: number) =>
      Array.from({ length: count }, (_, at) => {
        const now = deps.now().toISOString();
        const line = { description: 'Web Starter for example.co.za, monthly', amountCents: 5635, vatCents: 735 };
        const invoice: ItemOf<typeof Invoice> = {
          id: deps.newId('inv'),
          accountId,
          number: `INV-2020-${String(at + 1).padStart(6, '0')}`,
          kind: 'PLAN',
          status: at % 10 === 0 ? 'UNPAID' : 'PAID',
          amountCents: 5635,
          vatCents: 735,
          issuedAt: now,
          payBy: now,
          paidAt: at % 10 === 0 ? null : now,
          lines: [line],
        };
        return [itemOf(Invoice, invoice), itemOf(InvoiceByStatus, InvoiceByStatus.parse(invoice))];
      }).flat();
    const open = async (count: number) => {
      const plan = { slug: 'bench', name: 'Bench', appLimit: 1 };
      const keys = [{ name: 'bench', scopes: ['read' as const] }];
      const about = { email: 'bench@example.com', name: 'Bench', plan, walletCents: 0, aiCreditsMicroRand: 0, keys };
      const account = await openAccount(deps, about);
      await writeItems({ endpoint, tableName: TableName }, invoices(account.id, count));
      return account.keys[0]?.secretKey ?? '';
    };
    const [few, many] = [await open(FEW), await open(MANY)];
    const agent = new Agent({ keepAlive: true });
    const ask = (path: string, key: string) => () =>
      new Promise<void>((resolve, reject) => {
        const headers = { authorization: `Bearer ${key}` };
        const outgoing = request(run.local.baseUrl + path, { agent, headers }, (answer) => {
          if (answer.statusCode !== 200) reject(new Error(`${path} answered ${answer.statusCode}`));
          answer.on('end', resolve).on('error', reject).resume();
        });
        outgoing.on('error', reject).end();
      });
    const compare = async (query: string, name: string): Promise<Row> => {
      const [ours, baseline] = [ask(`/v1/invoices?${query}`, many), ask(`/v1/invoices?${query}`, few)];
      for (let count = 0; count < WARM_UP; count += 1) await Promise.all([ours(), baseline()]);
      return { name, ...(await measureAlternately(TIMES, ours, baseline)), unit: 'ms', maxRatio: 1.3 };
    };
    return [
      await compare('limit=10', `first page of ${MANY} invoices, against ${FEW}`),
      await compare('limit=1&status=UNPAID', `first page of the unpaid invoices of ${MANY}, against ${FEW}`),
    ];
  } finally {
    await run.stop();
  }
}
