import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { arnsOf, PlatformFunction } from '../constructs/function.ts';
import { FailureQueue, MAX_RECEIVES, polls } from '../constructs/queues.ts';
import type { Right, Use } from '../constructs/rights.ts';
import { Machine } from '../constructs/state-machine.ts';
import { domainMachine } from '../state-machines/registrar.ts';
import { type CustomDomainsStack, DNS_LOOKUP } from './custom-domains.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { TableStack } from './table.ts';

const registrarRight = (...actions: string[]): Right => ({
  actions: actions.map((action) => `route53domains:${action}`),
  on: ['*'],
  wildcard: 'Route 53 Domains has no resource-level permissions',
});

/** Lets a function check the availability of a domain name. */
export const checkAvailability: Use = { rights: [registrarRight('CheckDomainAvailability')] };

const submit: Use = { rights: [registrarRight('RegisterDomain', 'RenewDomain', 'ListOperations', 'GetDomainDetail')] };
const readProgress: Use = { rights: [registrarRight('GetOperationDetail')] };
const delegate: Use = { rights: [registrarRight('GetDomainDetail', 'UpdateDomainNameservers')] };
const readVerification: Use = { rights: [registrarRight('GetContactReachabilityStatus')] };

const onZones = (...actions: string[]): Right => ({
  actions: actions.map((action) => `route53:${action}`),
  on: ['arn:aws:route53:::hostedzone/*'],
  wildcard: 'the zones of customers’ domains are created as domains are registered',
});
const onAllZones = (...actions: string[]): Right => ({
  actions: actions.map((action) => `route53:${action}`),
  on: ['*'],
  wildcard: 'creating and finding zones have no resource-level permissions',
});
const createZones: Use = {
  rights: [onZones('GetHostedZone'), onAllZones('CreateHostedZone', 'ListHostedZonesByName')],
};
/** Lets a function delete the zones of domains whose registration has ended. */
const deleteZones: Use = {
  rights: [onZones('GetHostedZone', 'DeleteHostedZone'), onAllZones('ListHostedZonesByName')],
};
const writeZones: Use = { rights: [onZones('ListResourceRecordSets', 'ChangeResourceRecordSets')] };

/**
 * Timeouts in seconds. Writing a zone takes one or two seconds, but Route 53 accepts only ten requests per second and account, for which calls
 * may have to wait. SQS redelivers the message of a crashed function after the lease of its zone has ended (domain/dns/sync.ts).
 */
const { zoneSync: ZONE_SYNC_S, registrar: REGISTRAR_S } = TIMEOUTS_S;

/** Lets a function adopt a domain that is already at the registrar: its name servers, its zone and its records. */
export const adoption: Use[] = [delegate, createZones, writeZones];

/** Counts the domains and zones of the account. */
export const countDomains: Use = {
  rights: [
    registrarRight('ListDomains'),
    { actions: ['route53:GetAccountLimit'], on: ['*'], wildcard: 'the action has no resource-level permissions' },
  ],
};

/** Domains: the state machine that registers and renews them, and the function that syncs their DNS records. */
export class DomainsStack extends PlatformStack {
  /** Lets operators read and remove failed messages. */
  readonly failures: Use;
  /** Starts the registration or renewal of a domain. */
  readonly start: Use;
  /** As `start`. Also reads the status of executions and of domains at the registrar, and requests a domain's name servers again. */
  readonly supervise: Use;
  /** Requests the sync of a zone. */
  readonly syncZones: Use;
  readonly queueName: string;
  readonly stage: string;

  constructor(platform: Platform, { table, customDomains }: { table: TableStack; customDomains: CustomDomainsStack }) {
    super(platform, 'domains', 'Domains: registration, renewal, and their DNS records');
    const { names, config } = platform;
    this.stage = config.stage;
    this.addStackDependency(table);

    const state = [table.read, table.write];
    const step = (name: string, description: string, uses: Use[]) =>
      new PlatformFunction(this, platform, `workflow/${name}`, {
        description,
        timeout: REGISTRAR_S.function,
        uses: [...state, ...uses],
      });
    const steps = {
      submitDomainTask: step('submitDomainTask', 'Asks the registrar to register or renew a domain', [submit]),
      checkDomainTask: step('checkDomainTask', 'Reads the progress of a domain task from the registrar', [
        readProgress,
      ]),
      finishDomainTask: step('finishDomainTask', 'Completes a registration or renewal: zone, name servers and expiry', [
        delegate,
        readVerification,
        createZones,
      ]),
      refuseDomainTask: step('refuseDomainTask', 'Refunds a registration or renewal that the registrar refused', []),
    };
    new Machine(this, platform, 'domain', {
      definition: domainMachine(arnsOf(steps)),
      functions: Object.values(steps),
    });
    const variables = { DOMAIN_STATE_MACHINE_ARN: names.domain.arn };
    const start: Right = { actions: ['states:StartExecution'], on: [names.domain.arn] };
    this.start = { variables, rights: [start] };
    this.supervise = {
      variables,
      rights: [
        start,
        {
          actions: ['states:DescribeExecution'],
          on: [names.domain.executions],
          wildcard: 'executions are named after domains',
        },
        registrarRight('GetDomainDetail', 'UpdateDomainNameservers', 'GetContactReachabilityStatus'),
      ],
    };
    new PlatformFunction(this, platform, 'operator/adoptDomain', {
      description: 'Assigns a domain that is already at the registrar to an account; called by operators',
      timeout: REGISTRAR_S.function,
      uses: [...state, ...adoption, customDomains.endpoint],
    });
    this.queueName = names.queue('dns-mirrors');
    [this.syncZones, this.failures] = this.createZoneSync(platform, state);
  }

  /** Creates the queue of zones to sync and the function that consumes it. */
  private createZoneSync(platform: Platform, state: Use[]): [syncZones: Use, failures: Use] {
    const failures = new FailureQueue(this, platform, 'dns-failures', 'DNS_FAILURES_URL');
    const queue = new Queue(this, 'Mirrors', {
      queueName: this.queueName,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(ZONE_SYNC_S.visibility),
      retentionPeriod: Duration.days(14),
      deadLetterQueue: { queue: failures.queue, maxReceiveCount: MAX_RECEIVES },
    });
    const sync = new PlatformFunction(this, platform, 'queue/syncZone', {
      description:
        'Syncs a zone’s records from the table to the name servers, or deletes a zone that is needed no more',
      timeout: ZONE_SYNC_S.function,
      memory: 512,
      uses: [...state, writeZones, deleteZones, DNS_LOOKUP, { rights: [polls(queue)] }],
    });
    new EventSourceMapping(this, 'Changes', {
      target: sync.live,
      eventSourceArn: queue.queueArn,
      batchSize: 5,
      maxConcurrency: 4,
      reportBatchItemFailures: true,
    });
    const syncZones = {
      variables: { ZONE_SYNC_QUEUE_URL: queue.queueUrl },
      rights: [{ actions: ['sqs:SendMessage'], on: [queue.queueArn] }],
    };
    return [syncZones, failures.manage];
  }
}
