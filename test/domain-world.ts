import { payOutstanding, voidOverdue } from '../domain/billing/unpaid-invoices.ts';
import { nothing, withWallet } from '../domain/billing/wallet.ts';
import { advanceDomain, domainPaid, domainUnpaid, reconcileDomains } from '../domain/domain-life.ts';
import { orderDomain } from '../domain/registrar/orders.ts';
import { checkTask, finishTask, type Progress, refuseTask, submitTask } from '../domain/registrar/tasks.ts';
import { extensionsOnSale } from '../domain/registrar/tlds.ts';
import type { Dns } from '../providers/dns/dns.ts';
import { type Operation, Refused, type Registrar } from '../providers/registrar/registrar.ts';
import type { Executions } from '../providers/workflows/executions.ts';
import { Invoice } from '../table/entities/billing.ts';
import { Domain } from '../table/entities/registrar.ts';
import { billingWorld } from './simulation/billing.ts';

/**
 * Everything between an order and the registrar, with a clock that jumps: the real domain functions over a table in memory, a
 * registrar that fails as registrars do, a state machine that walks as lib/state-machines/registrar.ts says, a stream that
 * tells of invoices at least once, and processes that die at any call.
 */
export class Death extends Error {}
export class NoAnswer extends Error {}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Fate {
  /** A number from 0 to 1. */
  chance(): number;
  /** How likely a process dies at a call of the table, before or after it. */
  death: number;
  /** How likely a call of the registrar is lost, before or after it was heard. */
  loss: number;
  /** What the registrar says to a request in the end. */
  refuses: (domain: string) => boolean;
  /** How long it takes it, in milliseconds. */
  takes: () => number;
  /** Whether somebody else registers the name before we ask. */
  overtakes: (domain: string) => boolean;
}

const SECOND = 1000;
const DAY = 86_400_000;
const STEPS_MOST = 20_000;

interface Wired extends Operation {
  kind: 'REGISTER_DOMAIN' | 'RENEW_DOMAIN';
  domain: string;
  years: number;
  submittedAt: number;
  doneAt: number;
}
interface Execution {
  name: string;
  ids: { accountId: string; domainId: string };
  at: 'Submit' | 'Look' | 'Finish' | 'Refuse' | 'Over' | 'Lost';
  wakesAt: number;
  tries: number;
}

const OWNER = {
  ...{ name: 'A B', email: 'a@example.com', contactNumber: '+27.215551234', address1: '1 Street', city: 'Cape Town' },
  ...{ province: 'WC', postalCode: '8001', country: 'ZA' },
};

export type DomainWorld = ReturnType<typeof domainWorld>;

export function domainWorld(fate: Fate) {
  const mortal = { on: false };
  const { memory, clock, deps, open } = billingWorld((send) => async (operation, input) => {
    const dies = () => mortal.on && fate.chance() < fate.death;
    if (dies()) throw new Death();
    const answer = await send(operation, input);
    if (dies()) throw new Death();
    return answer as never;
  });

  // The registrar. What it holds is what it charged us for.
  const operations: Wired[] = [];
  const registry = new Map<string, { ours: boolean; expiresAt: number }>();
  const later = (time: number, years: number) => {
    const date = new Date(time);
    date.setUTCFullYear(date.getUTCFullYear() + years);
    return date.getTime();
  };
  const settle = () => {
    for (const operation of operations) {
      if (operation.status !== 'PENDING' || operation.doneAt > clock.now) continue;
      const { domain, kind, years, doneAt } = operation;
      const known = registry.get(domain);
      operation.status = fate.refuses(domain) ? 'REFUSED' : 'DONE';
      if (operation.status === 'REFUSED') continue;
      if (kind === 'REGISTER_DOMAIN') registry.set(domain, { ours: true, expiresAt: later(doneAt, years) });
      else if (known) known.expiresAt = later(known.expiresAt, years);
    }
  };
  const submit = (kind: Wired['kind'], domain: string, years: number): string => {
    if (operations.some((each) => each.domain === domain && each.status === 'PENDING'))
      throw new Error('DuplicateRequest');
    const id = `op_${operations.length}`;
    const about = { id, kind, domain, years, status: 'PENDING' as const, message: '' };
    operations.push({ ...about, submittedAt: clock.now, doneAt: clock.now + fate.takes() });
    return id;
  };
  /** A call over the network: it may never arrive, and its answer may be lost. */
  const over = async <T>(act: () => T): Promise<T> => {
    settle();
    if (mortal.on && fate.chance() < fate.loss) throw new NoAnswer();
    const answer = act();
    if (mortal.on && fate.chance() < fate.loss) throw new NoAnswer();
    return answer;
  };
  const registrar: Registrar = {
    availability: (domain) => over(() => (registry.has(domain) ? 'TAKEN' : 'AVAILABLE')),
    register: ({ domain, years }) =>
      over(() => {
        if (fate.overtakes(domain) && !registry.has(domain)) registry.set(domain, { ours: false, expiresAt: 0 });
        if (registry.has(domain)) throw new Refused(`${domain} is not available`);
        return submit('REGISTER_DOMAIN', domain, years);
      }),
    renew: (domain, years, expiryYear) =>
      over(() => {
        const known = registry.get(domain);
        if (!known?.ours || new Date(known.expiresAt).getUTCFullYear() !== expiryYear)
          throw new Refused('another year');
        return submit('RENEW_DOMAIN', domain, years);
      }),
    find: (kind, domain, since) =>
      over(() =>
        operations.findLast(
          (each) => each.kind === kind && each.domain === domain && each.submittedAt >= since.getTime(),
        ),
      ),
    operation: (id) =>
      over(() => {
        const found = operations.find((each) => each.id === id);
        if (!found) throw new Error(`no operation ${id}`);
        return { ...found };
      }),
    registered: (domain) =>
      over(() => {
        const known = registry.get(domain);
        return known?.ours ? { expiresAt: new Date(known.expiresAt), nameservers: [] } : undefined;
      }),
    delegate: () => over(() => undefined),
  };
  const dns: Dns = {
    ensureZone: (domain) =>
      over(() => ({ id: `zone of ${domain}`, nameservers: ['ns1.example.net', 'ns2.example.net'] })),
    recordSets: () => over(() => []),
    change: () => over(() => undefined),
  };

  // The state machine.
  const executions = new Map<string, Execution>();
  const domainTasks: Executions = {
    async start(name, input) {
      if (!executions.has(name)) {
        executions.set(name, { name, ids: input as Execution['ids'], at: 'Submit', wakesAt: clock.now, tries: 0 });
      }
    },
    async status(name) {
      const found = executions.get(name);
      return !found ? 'MISSING' : found.at === 'Over' || found.at === 'Lost' ? 'ENDED' : 'RUNNING';
    },
    async stop() {},
  };
  const needs = { ...deps, registrar, dns, domainTasks, extensions: extensionsOnSale(deps) };
  const TRIES = 30;
  async function walk(execution: Execution): Promise<void> {
    const goOn = ({ state, waitSeconds }: Progress) => {
      const next = { PENDING: 'Look', DONE: 'Finish', REFUSED: 'Refuse', ENDED: 'Over' } as const;
      execution.at = next[state];
      execution.wakesAt = clock.now + (state === 'PENDING' ? waitSeconds * SECOND : 0);
    };
    try {
      if (execution.at === 'Submit') goOn(await submitTask(needs, execution.ids));
      else if (execution.at === 'Look') goOn(await checkTask(needs, execution.ids));
      else {
        if (execution.at === 'Finish') await finishTask(needs, execution.ids);
        else await refuseTask(needs, execution.ids);
        execution.at = 'Over';
      }
      execution.tries = 0;
    } catch {
      execution.tries += 1;
      execution.wakesAt = clock.now + Math.min(900, 2 ** execution.tries) * SECOND;
      if (execution.tries > TRIES) execution.at = 'Lost';
    }
  }

  // The stream, as far as invoices go: each change until it is followed, and now and then once more.
  let told = 0;
  const changes: Invoice[] = [];
  const listen = () => {
    for (; told < memory.records.length; told += 1) {
      const { dynamodb } = memory.records[told] as { dynamodb: { Keys: { sk: { S: string } }; NewImage?: object } };
      if (!dynamodb.Keys.sk.S.startsWith('INVOICE#') || !dynamodb.NewImage) continue;
      const [, id = ''] = dynamodb.Keys.sk.S.split('#');
      const item = memory.items('INVOICE').find((each) => each.id === id);
      if (item) changes.push(Invoice.parse(item));
    }
  };
  async function follow(): Promise<void> {
    const [invoice] = changes;
    if (!invoice) return;
    try {
      if (invoice.status === 'PAID') await domainPaid(needs, invoice);
      if (invoice.status === 'VOID') await domainUnpaid(needs, invoice);
      if (fate.chance() < 0.8) changes.shift();
    } catch {
      // The batch comes again.
    }
  }

  const reckless = async (work: () => Promise<unknown>): Promise<void> => {
    mortal.on = true;
    try {
      await work();
    } catch {
      // A process that died, or an answer that was lost: somebody else goes on.
    } finally {
      mortal.on = false;
    }
  };
  const busy = () => [...executions.values()].filter(({ at }) => at !== 'Over' && at !== 'Lost');

  /** One thing that may happen next, by chance. */
  async function happen(): Promise<void> {
    listen();
    const awake = busy().filter(({ wakesAt }) => wakesAt <= clock.now);
    const dice = fate.chance();
    if (changes.length > 0 && dice < 0.4) return await reckless(follow);
    const chosen = awake[Math.floor(fate.chance() * awake.length)];
    if (chosen && dice < 0.8) return await reckless(() => walk(chosen));
    if (dice < 0.9) return await reckless(() => reconcileDomains(needs));
    clock.now += Math.round(fate.chance() * 3600 * SECOND);
    await reckless(() => voidOverdue(deps));
  }

  /** Goes on until nothing is left to do: no change unfollowed, no execution under way, no domain undecided. */
  async function toTheEnd(): Promise<number> {
    for (let steps = 1; steps < STEPS_MOST; steps += 1) {
      await happen();
      listen();
      const undecided = memory.items('DOMAIN').some(({ status, task }) => status === 'PENDING' || task !== undefined);
      if (!undecided && changes.length === 0 && busy().length === 0) return steps;
    }
    throw new Error('it does not come to an end');
  }

  return {
    ...{ memory, clock, deps, open, registry, operations, executions, needs, reckless, happen, toTheEnd, DAY },
    order: (accountId: string, domain: string, years = 1) =>
      orderDomain(needs, { accountId, keyId: '' }, { domain, years, registrant: OWNER }),
    /** Money from elsewhere. */
    give: (accountId: string, cents: number) =>
      withWallet(deps, accountId, nothing, async (wallet) => {
        wallet.move('ADJUSTMENT', cents, 'A gift');
        await deps.commit(wallet.writes(), undefined);
      }),
    pay: (accountId: string) => reckless(() => payOutstanding(deps, accountId)),
    domains: () => memory.items('DOMAIN').map((item) => Domain.parse(item)),
    invoices: () => memory.items('INVOICE').map((item) => Invoice.parse(item)),
    names: () => memory.items('DOMAIN_NAME').map(({ name }) => name),
    registeredEvents: () => memory.items('EVENT').filter(({ type }) => type === 'domain.registered'),
    advance: (domain: Domain) => advanceDomain(needs, domain),
  };
}
