import { entryOf, type OPEN_VERIFICATIONS } from '../../contract/enums.ts';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { isAwsError, tolerate } from '../aws-errors.ts';

/** The registrant of a domain, as given in orders (contract/registrar/orders.ts). */
export interface Owner {
  name: string;
  email: string;
  contactNumber: string;
  address1: string;
  city: string;
  province: string;
  postalCode: string;
  country: string;
}

export interface Registration {
  domain: string;
  years: number;
  owner: Owner;
  /** True if the registry hides the owner's details. */
  privacy: boolean;
}

/** An operation at the registrar, which takes seconds or days. */
export interface Operation {
  id: string;
  status: 'PENDING' | 'DONE' | 'REFUSED';
  /** The registrar's message. */
  message: string;
}

export type Availability = 'AVAILABLE' | 'TAKEN' | 'PREMIUM' | 'UNKNOWN' | 'UNSUPPORTED';
export type OpenVerification = (typeof OPEN_VERIFICATIONS)[number];
type OperationKind = 'REGISTER_DOMAIN' | 'RENEW_DOMAIN';

/** The registrar rejected a request and changed nothing. */
export class RegistrarRejected extends Error {}

export interface Registrar {
  /** Returns `UNKNOWN` if the registry does not answer, `UNSUPPORTED` if the registrar does not sell the TLD. */
  availability(domain: string): Promise<Availability>;
  /**
   * Submits a registration and returns the operation's id. Throws {@link RegistrarRejected}. After any other failure it is unknown whether
   * the registrar accepted the operation.
   */
  register(registration: Registration): Promise<string>;
  /**
   * Submits a renewal. Returns and throws as {@link register}.
   * @param expiryYear the year of the current expiry, with which the registrar refuses a repeated request
   */
  renew(domain: string, years: number, expiryYear: number): Promise<string>;
  /** Finds the newest operation of a kind on a domain that was submitted at or after a time. */
  find(kind: OperationKind, domain: string, since: Date): Promise<Operation | undefined>;
  operation(id: string): Promise<Operation>;
  /**
   * Reads the dates and the name servers of a domain in the platform's account. Returns undefined only if the registrar reports that the
   * domain is not in the account.
   */
  registered(domain: string, options?: CallOptions): Promise<RegisteredDomain | undefined>;
  /**
   * Returns `PENDING` while the registrant has to confirm the email address, `EXPIRED` if the time for it has passed, and undefined if there
   * is nothing to confirm.
   */
  verification(domain: string, options?: CallOptions): Promise<OpenVerification | undefined>;
  /**
   * Requests a change of a domain's name servers. The registry may refuse it later, so `registered` returns the actual ones. Throws
   * {@link DelegationInProgress} while another change is in progress, and otherwise as {@link register}.
   */
  delegate(domain: string, nameservers: readonly string[], options?: Pick<CallOptions, 'timeout'>): Promise<void>;
}

/** A registered domain. `createdAt` is absent while WHOIS, from which the registrar reads it, does not have it. */
export interface RegisteredDomain {
  createdAt?: Date;
  expiresAt: Date;
  nameservers: string[];
}

/** Another change of the domain's name servers is in progress, possibly to the same ones. */
export class DelegationInProgress extends Error {
  override readonly name = 'DelegationInProgress';
}

export interface CallOptions {
  /** Maximum attempts, including the first. */
  attempts?: number;
  /** Timeout of each attempt, in milliseconds. */
  timeout?: number;
}
type Call = <Output>(operation: string, input: object, options?: CallOptions) => Promise<Output>;

const AVAILABILITIES: Record<string, Availability> = {
  AVAILABLE: 'AVAILABLE',
  UNAVAILABLE_PREMIUM: 'PREMIUM',
  PENDING: 'UNKNOWN',
  DONT_KNOW: 'UNKNOWN',
};
const VERIFICATIONS: Record<string, OpenVerification> = { PENDING: 'PENDING', EXPIRED: 'EXPIRED' };
const STATUSES: Record<string, Operation['status']> = { SUCCESSFUL: 'DONE', FAILED: 'REFUSED', ERROR: 'REFUSED' };

/** Errors of requests that can never succeed. Rate limits and a registry's maintenance are not among them. */
const REFUSALS = ['InvalidInput', 'TLDRulesViolation', 'UnsupportedTLD'];

/** Reads may be retried. Orders may not, because an order whose response was lost may have been accepted. */
const READ_OPTIONS: CallOptions = { timeout: TIMEOUTS_S.registrar.read * 1000 };
const ORDER_OPTIONS: CallOptions = { timeout: TIMEOUTS_S.registrar.order * 1000, attempts: 1 };

interface WireOperation {
  OperationId?: string;
  Status?: string;
  DomainName?: string;
  Message?: string;
  /** Epoch seconds. */
  SubmittedDate?: number;
}
const toOperation = ({ OperationId = '', Status = '', Message = '' }: WireOperation): Operation => ({
  id: OperationId,
  status: entryOf(STATUSES, Status) ?? 'PENDING',
  message: Message,
});

/** Converts an owner to a contact of the registrar, which has a first and a last name. */
function toContact(owner: Owner) {
  const words = owner.name.split(/\s+/);
  const last = words.at(-1) ?? '';
  return {
    ContactType: 'PERSON',
    FirstName: words.slice(0, -1).join(' ') || last,
    LastName: last,
    Email: owner.email,
    PhoneNumber: owner.contactNumber,
    AddressLine1: owner.address1,
    City: owner.city,
    State: owner.province,
    ZipCode: owner.postalCode,
    CountryCode: owner.country,
  };
}

/** Route 53 Domains implementation, which exists only in us-east-1. The platform orders renewals itself, so automatic renewal stays off. */
export function createRegistrar(call: Call): Registrar {
  async function order(operation: string, input: object, options?: CallOptions): Promise<string> {
    try {
      const answer = await call<{ OperationId: string }>(operation, input, { ...ORDER_OPTIONS, ...options });
      return answer.OperationId;
    } catch (error) {
      if (isAwsError(error, ...REFUSALS)) throw new RegistrarRejected(error.message, { cause: error });
      throw error;
    }
  }
  return {
    async availability(domain) {
      const input = { DomainName: domain };
      const checked = call<{ Availability: string }>('CheckDomainAvailability', input, READ_OPTIONS);
      return await tolerate(
        checked.then(({ Availability }) => entryOf(AVAILABILITIES, Availability) ?? 'TAKEN'),
        { TLDInMaintenance: 'UNKNOWN', UnsupportedTLD: 'UNSUPPORTED' },
      );
    },

    async register({ domain, years, owner, privacy }) {
      const contact = toContact(owner);
      return await order('RegisterDomain', {
        DomainName: domain,
        DurationInYears: years,
        AutoRenew: false,
        AdminContact: contact,
        RegistrantContact: contact,
        TechContact: contact,
        PrivacyProtectAdminContact: privacy,
        PrivacyProtectRegistrantContact: privacy,
        PrivacyProtectTechContact: privacy,
      });
    },

    renew: (domain, years, expiryYear) =>
      order('RenewDomain', { DomainName: domain, DurationInYears: years, CurrentExpiryYear: expiryYear }),

    async find(kind, domain, since) {
      let Marker: string | undefined;
      do {
        const input = {
          Type: [kind],
          SubmittedSince: Math.floor(since.getTime() / 1000),
          SortBy: 'SubmittedDate',
          SortOrder: 'DESC',
          MaxItems: 100,
          ...(Marker ? { Marker } : {}),
        };
        const page = await call<{ Operations?: WireOperation[]; NextPageMarker?: string }>(
          'ListOperations',
          input,
          READ_OPTIONS,
        );
        const found = page.Operations?.find(({ DomainName }) => DomainName === domain);
        if (found) return toOperation(found);
        Marker = page.NextPageMarker;
      } while (Marker);
      return undefined;
    },

    operation: async (id) =>
      toOperation(await call<WireOperation>('GetOperationDetail', { OperationId: id }, READ_OPTIONS)),

    async registered(domain, options) {
      interface Detail {
        CreationDate?: number;
        ExpirationDate: number;
        Nameservers?: { Name: string }[];
      }
      const read = call<Detail>('GetDomainDetail', { DomainName: domain }, { ...READ_OPTIONS, ...options });
      // "A domain name that doesn't belong to the account that submitted the request" (API reference of GetDomainDetail).
      const detail = await tolerate(read, { InvalidInput: undefined });
      if (!detail) return undefined;
      const { CreationDate, ExpirationDate, Nameservers = [] } = detail;
      return {
        ...(CreationDate === undefined ? {} : { createdAt: new Date(CreationDate * 1000) }),
        expiresAt: new Date(ExpirationDate * 1000),
        nameservers: Nameservers.map(({ Name }) => Name),
      };
    },

    async verification(domain, options) {
      // Unlike in the other operations, the member names begin with a lower-case letter.
      const input = { domainName: domain };
      const read = call<{ status?: string }>('GetContactReachabilityStatus', input, { ...READ_OPTIONS, ...options });
      // The TLD does not require a confirmed email address.
      const found = await tolerate(read, { InvalidInput: undefined, UnsupportedTLD: undefined });
      return entryOf(VERIFICATIONS, found?.status ?? '');
    },

    async delegate(domain, nameservers, options) {
      const Nameservers = nameservers.map((Name) => ({ Name }));
      try {
        await order('UpdateDomainNameservers', { DomainName: domain, Nameservers }, options);
      } catch (error) {
        throw isAwsError(error, 'DuplicateRequest') ? new DelegationInProgress(error.message) : error;
      }
    },
  };
}
