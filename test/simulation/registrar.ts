import { invoiceQueue, payUnpaidInvoices } from '../../domain/billing/unpaid-invoices.ts';
import { readNothing, withWallet } from '../../domain/billing/wallet.ts';
import {
  advanceDomain,
  domainQueue,
  onDomainInvoicePaid,
  onDomainInvoiceVoided,
} from '../../domain/registrar/lifecycle.ts';
import { orderDomain } from '../../domain/registrar/orders.ts';
import {
  checkTask,
  type DomainIds,
  finishTask,
  type Progress,
  refuseTask,
  submitTask,
} from '../../domain/registrar/tasks.ts';
import { tldsOnSale } from '../../domain/registrar/tlds.ts';
import { sweep } from '../../domain/sweep/sweep.ts';
import type { Dns } from '../../providers/dns/dns.ts';
import {
  type OpenVerification,
  type Operation,
  type Registrar,
  RegistrarRejected,
} from '../../providers/registrar/registrar.ts';
import type { Executions } from '../../providers/workflows/executions.ts';
import { Invoice } from '../../table/entities/billing.ts';
import { Domain } from '../../table/entities/registrar.ts';
import { billingSimulation } from './billing.ts';
import {
  type FaultPlan,
  noFaults,
  type ProcessOptions,
  runUntil,
  seededRandom,
  toleratingFaults,
} from './simulation.ts';

/**
 * Everything between an order and the registrar: the real domain functions, a registrar that fails as registrars do, a state
 * machine that follows lib/state-machines/registrar.ts, and a stream that delivers changes of invoices at least once.
 */

/** A call to the registrar or the name servers whose request or response was lost. */
class LostResponse extends Error {}

export interface RegistrarFaults {
  /** Returns numbers from 0 to 1; everything random is decided by it. */
  random(): number;
  /** Probability that a process crashes at a call of the table, before or after it. */
  crashRate: number;
  /** Probability that a request to the registrar, or its response, is lost. */
  lossRate: number;
  /** Decides whether the registrar refuses a request in the end. */
  refuses: (domain: string) => boolean;
  /** Decides whether the registry refuses a domain's name servers after the registrar has accepted them. */
  refusesNameservers?: (domain: string) => boolean;
  /** Returns whether the registrant's address waits for its confirmation; without it, none does. */
  verification?: (domain: string) => OpenVerification | undefined;
  /** Milliseconds that the registrar takes for a request. */
  takesMs: () => number;
  /** Decides whether a third party registers the name first. */
  registeredByOthers: (domain: string) => boolean;
}

/** Returns a fault plan without faults: the registrar completes every task within a minute. */
export const withoutFaults = (more: Partial<RegistrarFaults> = {}): RegistrarFaults => ({
  random: seededRandom(1),
  crashRate: 0,
  lossRate: 0,
  takesMs: () => 60_000,
  refuses: () => false,
  registeredByOthers: () => false,
  ...more,
});

const SECOND = 1000;
const DAY = 86_400_000;

interface SubmittedOperation extends Operation {
  kind: 'REGISTER_DOMAIN' | 'RENEW_DOMAIN';
  domain: string;
  years: number;
  submittedAt: number;
  doneAt: number;
}
interface Execution {
  name: string;
  ids: { accountId: string; domainId: string };
  state: 'Submit' | 'Check' | 'Finish' | 'Refuse' | 'Ended' | 'Lost';
  wakesAt: number;
  tries: number;
}

const OWNER = {
  name: 'A B',
  email: 'a@example.com',
  contactNumber: '+27.215551234',
  address1: '1 Street',
  city: 'Cape Town',
  province: 'WC',
  postalCode: '8001',
  country: 'ZA',
};

export type RegistrarSimulation = ReturnType<typeof registrarSimulation>;

/** @param onRefusal hears of every refused task, as the function that reports them */
export function registrarSimulation(
  given: RegistrarFaults,
  onRefusal: (ids: DomainIds, kind: 'REGISTER' | 'RENEW' | undefined) => void = () => {},
) {
  const { random } = given;
  const faults: FaultPlan = ({ what }) => {
    if (!what.startsWith('table.')) {
      if (random() < given.lossRate) throw new LostResponse(what);
      return undefined;
    }
    // Without crashes, the order of events does not depend on the number of calls.
    return given.crashRate > 0 && random() < given.crashRate ? 'crash' : undefined;
  };
  const { memory, clock, deps, open, startProcess } = billingSimulation({ faults });

  // The registrar. What it holds is what it charged us for.
  const operations: SubmittedOperation[] = [];
  const registry = new Map<string, { ours: boolean; expiresAt: number; nameservers: string[] }>();
  /** The domains whose name servers were requested, once for each request. */
  const delegations: string[] = [];
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
      operation.status = given.refuses(domain) ? 'REFUSED' : 'DONE';
      if (operation.status === 'REFUSED') continue;
      if (kind === 'REGISTER_DOMAIN')
        registry.set(domain, { ours: true, expiresAt: later(doneAt, years), nameservers: [] });
      else if (known) known.expiresAt = later(known.expiresAt, years);
    }
  };
  const submit = (kind: SubmittedOperation['kind'], domain: string, years: number): string => {
    if (operations.some((each) => each.domain === domain && each.status === 'PENDING'))
      throw new Error('DuplicateRequest');
    const id = `op_${operations.length}`;
    const about = { id, kind, domain, years, status: 'PENDING' as const, message: '' };
    operations.push({ ...about, submittedAt: clock.now, doneAt: clock.now + given.takesMs() });
    return id;
  };
  const answer = async <T>(act: () => T): Promise<T> => {
    settle();
    return act();
  };
  const registrarStub: Registrar = {
    availability: (domain) => answer(() => (registry.has(domain) ? 'TAKEN' : 'AVAILABLE')),
    register: ({ domain, years }) =>
      answer(() => {
        if (given.registeredByOthers(domain) && !registry.has(domain))
          registry.set(domain, { ours: false, expiresAt: 0, nameservers: [] });
        if (registry.has(domain)) throw new RegistrarRejected(`${domain} is not available`);
        return submit('REGISTER_DOMAIN', domain, years);
      }),
    renew: (domain, years, expiryYear) =>
      answer(() => {
        const known = registry.get(domain);
        if (!known?.ours || new Date(known.expiresAt).getUTCFullYear() !== expiryYear)
          throw new RegistrarRejected('another year');
        return submit('RENEW_DOMAIN', domain, years);
      }),
    find: (kind, domain, since) =>
      answer(() =>
        operations.findLast(
          (each) => each.kind === kind && each.domain === domain && each.submittedAt >= since.getTime(),
        ),
      ),
    operation: (id) =>
      answer(() => {
        const found = operations.find((each) => each.id === id);
        if (!found) throw new Error(`no operation ${id}`);
        return { ...found };
      }),
    registered: (domain) =>
      answer(() => {
        const known = registry.get(domain);
        return known?.ours ? { expiresAt: new Date(known.expiresAt), nameservers: known.nameservers } : undefined;
      }),
    verification: (domain) => answer(() => given.verification?.(domain)),
    delegate: (domain, nameservers) =>
      answer(() => {
        delegations.push(domain);
        const known = registry.get(domain);
        if (known && !given.refusesNameservers?.(domain)) known.nameservers = [...nameservers];
      }),
  };
  const dnsStub: Pick<Dns, 'ensureZone' | 'recordSets' | 'change'> = {
    ensureZone: (domain) =>
      answer(() => ({ id: `zone of ${domain}`, nameservers: ['ns1.example.net', 'ns2.example.net'] })),
    recordSets: () => answer(() => []),
    change: () => answer(() => undefined),
  };

  // The state machine.
  const executions = new Map<string, Execution>();
  const domainTasks: Executions = {
    async start(name, input) {
      if (!executions.has(name)) {
        executions.set(name, { name, ids: input as Execution['ids'], state: 'Submit', wakesAt: clock.now, tries: 0 });
      }
    },
    async status(name) {
      const found = executions.get(name);
      return !found ? 'MISSING' : found.state === 'Ended' || found.state === 'Lost' ? 'ENDED' : 'RUNNING';
    },
    async stop() {},
  };
  const tlds = tldsOnSale(deps);
  /** A process with every provider that registrations use. */
  function needsOf(options?: ProcessOptions) {
    const { deps: own, port } = startProcess(options);
    return {
      ...own,
      registrar: port('registrar', registrarStub),
      dns: port('dns', dnsStub),
      domainTasks,
      tlds,
    };
  }
  type Needs = ReturnType<typeof needsOf>;
  const steady = needsOf({ faults: noFaults });

  const MAX_TRIES = 30;
  async function stepExecution(needs: Needs, execution: Execution): Promise<void> {
    const proceed = ({ state, waitSeconds }: Progress) => {
      execution.state = ({ PENDING: 'Check', DONE: 'Finish', REFUSED: 'Refuse', ENDED: 'Ended' } as const)[state];
      execution.wakesAt = clock.now + (state === 'PENDING' ? waitSeconds * SECOND : 0);
    };
    try {
      if (execution.state === 'Submit') proceed(await submitTask(needs, execution.ids));
      else if (execution.state === 'Check') proceed(await checkTask(needs, execution.ids));
      else {
        if (execution.state === 'Finish') await finishTask(needs, execution.ids);
        else onRefusal(execution.ids, await refuseTask(needs, execution.ids));
        execution.state = 'Ended';
      }
      execution.tries = 0;
    } catch {
      execution.tries += 1;
      execution.wakesAt = clock.now + Math.min(900, 2 ** execution.tries) * SECOND;
      if (execution.tries > MAX_TRIES) execution.state = 'Lost';
    }
  }

  // The stream, as far as invoices go: each change until its rules succeed, and some of them once more.
  let readTo = 0;
  const changes: Invoice[] = [];
  const readStream = () => {
    for (; readTo < memory.records.length; readTo += 1) {
      const { dynamodb } = memory.records[readTo] as { dynamodb: { Keys: { sk: { S: string } }; NewImage?: object } };
      if (!dynamodb.Keys.sk.S.startsWith('INVOICE#') || !dynamodb.NewImage) continue;
      const [, id = ''] = dynamodb.Keys.sk.S.split('#');
      const item = memory.items('INVOICE').find((each) => each.id === id);
      if (item) changes.push(Invoice.parse(item));
    }
  };
  async function handleChange(needs: Needs): Promise<void> {
    const [invoice] = changes;
    if (!invoice) return;
    if (invoice.status === 'PAID') await onDomainInvoicePaid(needs, invoice);
    if (invoice.status === 'VOID') await onDomainInvoiceVoided(needs, invoice);
    if (random() < 0.8) changes.shift();
  }

  /** Works in a process that may crash and whose calls may be lost. */
  const withFaults = (work: (needs: Needs) => Promise<unknown>) => toleratingFaults(() => work(needsOf()));
  const running = () => [...executions.values()].filter(({ state }) => state !== 'Ended' && state !== 'Lost');

  /** Does one thing that may happen next, by chance. */
  async function step(): Promise<void> {
    readStream();
    const awake = running().filter(({ wakesAt }) => wakesAt <= clock.now);
    const drawn = random();
    if (changes.length > 0 && drawn < 0.4) return await withFaults(handleChange);
    const chosen = awake[Math.floor(random() * awake.length)];
    if (chosen && drawn < 0.8) return await withFaults((needs) => stepExecution(needs, chosen));
    if (drawn < 0.9) return await withFaults((needs) => sweep(needs, domainQueue));
    clock.now += Math.round(random() * 3600 * SECOND);
    await withFaults((needs) => sweep(needs, invoiceQueue));
  }

  const isIdle = () => {
    readStream();
    const undecided = memory.items('DOMAIN').some(({ status, task }) => status === 'PENDING' || task !== undefined);
    return !undecided && changes.length === 0 && running().length === 0;
  };
  /** Steps until no change is unhandled, no execution runs and no domain is undecided. @returns the number of steps */
  const runUntilIdle = async (): Promise<number> => {
    await step();
    return 1 + (await runUntil(isIdle, step));
  };

  return {
    memory,
    clock,
    deps,
    open,
    registry,
    operations,
    executions,
    steady,
    withFaults,
    step,
    runUntilIdle,
    DAY,
    delegations,
    order: (accountId: string, domain: string, years = 1, needs: Needs = steady, nameservers?: string[]) =>
      orderDomain(
        needs,
        { accountId, keyId: '' },
        { domain, years, registrant: OWNER, ...(nameservers ? { nameservers } : {}) },
      ),
    /** Adds money to a wallet. */
    give: (accountId: string, cents: number) =>
      withWallet(deps, accountId, readNothing, async (wallet) => {
        wallet.move('ADJUSTMENT', cents, 'A gift');
        await deps.commit(wallet.writes(), undefined);
      }),
    pay: (accountId: string) => withFaults((needs) => payUnpaidInvoices(needs, accountId)),
    domains: () => memory.items('DOMAIN').map((item) => Domain.parse(item)),
    invoices: () => memory.items('INVOICE').map((item) => Invoice.parse(item)),
    names: () => memory.items('DOMAIN_NAME').map(({ name }) => name),
    registeredEvents: () => memory.items('EVENT').filter(({ type }) => type === 'domain.registered'),
    advance: (domain: Domain) => advanceDomain(steady, domain),
  };
}
