import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { AWS_LIMITS } from '../../../contract/limits/aws-limits.ts';
import { openState } from '../state.ts';
import { type Emulator, type EmulatorOptions, jsonOperations, parse, ServiceError, serve } from '../wire.ts';

export interface RegistrarOptions extends EmulatorOptions {
  /** Domains that are registered from the start. */
  registered?: readonly string[];
  now?: () => number;
}

const Operation = z.object({
  id: z.string(),
  type: z.enum(['REGISTER_DOMAIN', 'RENEW_DOMAIN', 'UPDATE_NAMESERVER']),
  domain: z.string(),
  /** Epoch milliseconds. */
  submittedAt: z.number(),
  /** Time at which the operation succeeds or fails, in epoch milliseconds. */
  doneAt: z.number(),
  years: z.number().optional(),
  nameservers: z.array(z.string()).optional(),
  /** True once the operation has taken effect. */
  applied: z.boolean(),
});
type Operation = z.output<typeof Operation>;
const Registered = z.object({ createdAt: z.number(), expiresAt: z.number(), nameservers: z.array(z.string()) });
const State = z.object({ domains: z.record(z.string(), Registered), operations: z.array(Operation) });

const DomainName = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/);
const DomainInput = z.object({ DomainName });
const Contact = z.object({
  FirstName: z.string().min(1).max(255),
  LastName: z.string().min(1).max(255),
  ContactType: z.enum(['PERSON', 'COMPANY', 'ASSOCIATION', 'PUBLIC_BODY', 'RESELLER']),
  AddressLine1: z.string().min(1).max(255),
  City: z.string().min(1).max(255),
  State: z.string().max(255),
  CountryCode: z.string().length(2),
  ZipCode: z.string().max(255),
  PhoneNumber: z
    .string()
    .max(30)
    .regex(/^\+\d{1,3}\.\d+$/),
  Email: z.string().max(254).includes('@'),
});
const Register = DomainInput.extend({
  DurationInYears: z.number().int().min(1).max(10),
  AdminContact: Contact,
  RegistrantContact: Contact,
  TechContact: Contact,
  PrivacyProtectRegistrantContact: z.boolean().default(true),
});
const Renew = DomainInput.extend({
  DurationInYears: z.number().int().min(1).max(10).default(1),
  CurrentExpiryYear: z.number().int(),
});
const UpdateNameservers = DomainInput.extend({
  Nameservers: z
    .array(z.object({ Name: z.string() }))
    .min(2)
    .max(6),
});
const List = z.object({
  SubmittedSince: z.number().default(0),
  Type: z.array(z.string()).optional(),
  SortOrder: z.enum(['ASC', 'DESC']).default('ASC'),
  MaxItems: z.number().int().min(1).max(100).default(20),
  Marker: z.string().default('0'),
});
const ListDomains = z.object({
  MaxItems: z.number().int().min(0).max(100).default(20),
  Marker: z.string().default('0'),
});

/** At least a second, so that a registration's date, in whole seconds, is not before its order. */
const OPERATION_MS = 1000;
const SLOW_OPERATION_MS = 10_000;
/** Time within which a registrant must confirm the email address. */
const VERIFICATION_MS = 15 * 86_400_000;
const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);
const isCoZa = (domain: string): boolean => domain.endsWith('.co.za');

/** Returns the requested page of a list, and the marker of the next page if there is one. */
function pageOf<T>(all: readonly T[], { Marker, MaxItems }: { Marker: string; MaxItems: number }) {
  const end = Number(Marker) + MaxItems;
  return { page: all.slice(Number(Marker), end), next: end < all.length ? { NextPageMarker: String(end) } : {} };
}

function yearsLater(time: number, years: number): number {
  const date = new Date(time);
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return date.getTime();
}

/**
 * Starts an emulator of Amazon Route 53 Domains. Like a test card number, the prefix of a name determines the result:
 * - `taken-…` is taken, and `premium-…` costs more.
 * - The registration of `refused-…` is accepted and then fails. `slow-…` takes ten seconds.
 * - A change of the name servers of `undelegated-…` is accepted and then fails.
 * - The registrant of `unverified-…` never confirms the email address: its status is pending for 15 days and then expired.
 *
 * A second operation of the same type on a name during the first is a DuplicateRequest. `.co.za` is sold by the year and without
 * privacy.
 */
export async function startRegistrar({
  dataDir,
  port,
  registered = [],
  now = Date.now,
  strict,
}: RegistrarOptions): Promise<Emulator> {
  const state = openState(join(dataDir, 'registrar.json'), State, { domains: {}, operations: [] });

  for (const domain of registered) {
    state.value.domains[domain] ??= { createdAt: now(), expiresAt: yearsLater(now(), 1), nameservers: [] };
  }
  state.save();

  /** Applies a successful operation to its domain. */
  function apply({ domain, type, years = 1, nameservers = [], doneAt }: Operation): void {
    const { domains } = state.value;
    if (type === 'REGISTER_DOMAIN') {
      domains[domain] = { createdAt: doneAt, expiresAt: yearsLater(doneAt, years), nameservers };
      return;
    }
    const known = domains[domain];
    if (!known) return;
    if (type === 'RENEW_DOMAIN') known.expiresAt = yearsLater(known.expiresAt, years);
    else known.nameservers = nameservers;
  }

  /** Applies the operations that are due. */
  function applyDue(): void {
    const due = state.value.operations.filter(({ applied, doneAt }) => !applied && doneAt <= now());
    for (const operation of due) {
      operation.applied = true;
      if (!isRefused(operation)) apply(operation);
    }
    if (due.length > 0) state.save();
  }
  const isRefused = ({ domain, type }: Operation) =>
    (type === 'REGISTER_DOMAIN' && domain.startsWith('refused-')) ||
    (type === 'UPDATE_NAMESERVER' && domain.startsWith('undelegated-'));
  const statusOf = (operation: Operation) =>
    operation.doneAt > now() ? 'IN_PROGRESS' : isRefused(operation) ? 'FAILED' : 'SUCCESSFUL';

  function submit(input: Pick<Operation, 'type' | 'domain' | 'years' | 'nameservers'>) {
    const { type, domain } = input;
    const running = state.value.operations.find((each) => each.domain === domain && each.doneAt > now());
    if (running && running.type === type) {
      throw new ServiceError('DuplicateRequest', `The request is already in progress for ${domain}.`);
    }
    const submittedAt = now();
    const durationMs = type === 'REGISTER_DOMAIN' && domain.startsWith('slow-') ? SLOW_OPERATION_MS : OPERATION_MS;
    const operation = { id: randomUUID(), ...input, submittedAt, doneAt: submittedAt + durationMs, applied: false };
    state.value.operations.push(operation);
    state.save();
    return { OperationId: operation.id };
  }
  const findOwned = (domain: string) => {
    const found = state.value.domains[domain];
    if (!found) throw new ServiceError('InvalidInput', `Domain ${domain} not found in the account.`);
    return found;
  };
  const isTaken = (domain: string) => domain.startsWith('taken-') || state.value.domains[domain] !== undefined;
  const show = (operation: Operation) => ({
    OperationId: operation.id,
    Status: statusOf(operation),
    Type: operation.type,
    DomainName: operation.domain,
    SubmittedDate: seconds(operation.submittedAt),
    ...(statusOf(operation) === 'FAILED' ? { Message: 'The registry refused the request.' } : {}),
  });
  const operations = jsonOperations({
    CheckDomainAvailability: (body) => {
      const { DomainName: domain } = parse(DomainInput, body);
      const premium = domain.startsWith('premium-');
      return { Availability: isTaken(domain) ? 'UNAVAILABLE' : premium ? 'UNAVAILABLE_PREMIUM' : 'AVAILABLE' };
    },
    RegisterDomain: (body) => {
      const { DomainName: domain, DurationInYears: years, PrivacyProtectRegistrantContact } = parse(Register, body);
      if (isTaken(domain) || domain.startsWith('premium-')) {
        throw new ServiceError('InvalidInput', `${domain} is not available.`);
      }
      if (isCoZa(domain) && (years !== 1 || PrivacyProtectRegistrantContact)) {
        throw new ServiceError('TLDRulesViolation', '.co.za is registered for one year, and without privacy.');
      }
      if (strict && Object.keys(state.value.domains).length >= AWS_LIMITS.registeredDomains.value) {
        throw new ServiceError('DomainLimitExceeded', 'The number of domains has exceeded the allowed threshold.');
      }
      return submit({ type: 'REGISTER_DOMAIN', domain, years });
    },
    RenewDomain: (body) => {
      const { DomainName: domain, DurationInYears: years, CurrentExpiryYear } = parse(Renew, body);
      if (new Date(findOwned(domain).expiresAt).getUTCFullYear() !== CurrentExpiryYear) {
        throw new ServiceError('InvalidInput', `${domain} does not expire in ${CurrentExpiryYear}.`);
      }
      if (isCoZa(domain) && years !== 1) throw new ServiceError('TLDRulesViolation', '.co.za is renewed by the year.');
      return submit({ type: 'RENEW_DOMAIN', domain, years });
    },
    UpdateDomainNameservers: (body) => {
      const { DomainName: domain, Nameservers } = parse(UpdateNameservers, body);
      findOwned(domain);
      return submit({ type: 'UPDATE_NAMESERVER', domain, nameservers: Nameservers.map(({ Name }) => Name) });
    },
    GetDomainDetail: (body) => {
      const { DomainName: domain } = parse(DomainInput, body);
      const { createdAt, expiresAt, nameservers } = findOwned(domain);
      return {
        DomainName: domain,
        AutoRenew: false,
        CreationDate: seconds(createdAt),
        ExpirationDate: seconds(expiresAt),
        Nameservers: nameservers.map((Name) => ({ Name })),
      };
    },
    GetContactReachabilityStatus: (body) => {
      const { domainName } = parse(z.object({ domainName: DomainName }), body);
      const isOver = findOwned(domainName).createdAt + VERIFICATION_MS <= now();
      const status = !domainName.startsWith('unverified-') ? 'DONE' : isOver ? 'EXPIRED' : 'PENDING';
      return { domainName, status };
    },
    ListDomains: (body) => {
      const { page, next } = pageOf(Object.entries(state.value.domains), parse(ListDomains, body));
      return {
        Domains: page.map(([DomainName, { expiresAt }]) => ({
          DomainName,
          AutoRenew: false,
          TransferLock: false,
          Expiry: seconds(expiresAt),
        })),
        ...next,
      };
    },
    GetOperationDetail: (body) => {
      const { OperationId } = parse(z.object({ OperationId: z.string() }), body);
      const found = state.value.operations.find(({ id }) => id === OperationId);
      if (!found) throw new ServiceError('InvalidInput', `Operation ${OperationId} not found.`);
      return show(found);
    },
    ListOperations: (body) => {
      const { SubmittedSince, Type, SortOrder, ...pagination } = parse(List, body);
      const found = state.value.operations.filter(
        ({ type, submittedAt }) => seconds(submittedAt) >= SubmittedSince && (!Type || Type.includes(type)),
      );
      if (SortOrder === 'DESC') found.reverse();
      const { page, next } = pageOf(found, pagination);
      return { Operations: page.map(show), ...next };
    },
  });
  return serve(port, 'application/x-amz-json-1.1', (request) => {
    applyDue();
    return operations(request);
  });
}
