import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import { PlatformFunction } from '../constructs/function.ts';
import { FailureQueue } from '../constructs/queues.ts';
import type { Right, Use } from '../constructs/rights.ts';
import { Machine } from '../constructs/state-machine.ts';
import { domainMachine } from '../state-machines/registrar.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { TableStack } from './table.ts';

const atTheRegistrar = (...actions: string[]): Right => ({
  actions: actions.map((action) => `route53domains:${action}`),
  on: ['*'],
  wildcard: 'Route 53 Domains knows no resources',
});

/** Asking the registrar whether a name is free. */
export const askRegistrar: Use = { rights: [atTheRegistrar('CheckDomainAvailability')] };

const submit: Use = { rights: [atTheRegistrar('RegisterDomain', 'RenewDomain', 'ListOperations', 'GetDomainDetail')] };
const look: Use = { rights: [atTheRegistrar('GetOperationDetail')] };
const delegate: Use = { rights: [atTheRegistrar('GetDomainDetail', 'UpdateDomainNameservers')] };

const onZones = (...actions: string[]): Right => ({
  actions: actions.map((action) => `route53:${action}`),
  on: ['arn:aws:route53:::hostedzone/*'],
  wildcard: 'the zones of customers’ domains, which are made as domains are registered',
});
const makeZones: Use = {
  rights: [
    onZones('GetHostedZone'),
    {
      actions: ['route53:CreateHostedZone', 'route53:ListHostedZonesByName'],
      on: ['*'],
      wildcard: 'making and finding zones knows no resources',
    },
  ],
};
const writeZones: Use = { rights: [onZones('ListResourceRecordSets', 'ChangeResourceRecordSets')] };

/** A zone is written in a second or two; Route 53 takes five requests a second of an account, and the others wait. */
const MIRROR_SECONDS = 50;
/** A message whose function died comes back after this: longer than anybody can hold a zone (domain/dns/sync.ts). */
const VISIBLE_AGAIN = 70;

/** Domains: the state machine that registers and renews them, and the function that mirrors their records. */
export class DomainsStack extends PlatformStack {
  /** Starting what has a domain registered or renewed. */
  readonly start: Use;
  /** The same, and asking how it is. */
  readonly supervise: Use;
  /** Having a zone mirrored. */
  readonly mirror: Use;
  readonly mirrorsName: string;
  readonly stage: string;

  constructor(platform: Platform, table: TableStack) {
    super(platform, 'domains', 'Domains: registering, renewing, and their records on the name servers');
    const { names, config } = platform;
    this.stage = config.stage;
    this.addStackDependency(table);

    const state = [table.read, table.write];
    const step = (name: string, description: string, uses: Use[]) =>
      new PlatformFunction(this, platform, `workflow/${name}`, { description, timeout: 60, uses: [...state, ...uses] })
        .lambda.functionArn;
    const steps = {
      submitDomainTask: step('submitDomainTask', 'Asks the registrar to register or renew a domain', [submit]),
      checkDomainTask: step('checkDomainTask', 'Asks the registrar how far it is', [look]),
      finishDomainTask: step('finishDomainTask', 'What the registrar has done, the platform has done', [
        delegate,
        makeZones,
      ]),
      refuseDomainTask: step('refuseDomainTask', 'What the registrar refuses is refunded', []),
    };
    new Machine(this, platform, 'domain', { definition: domainMachine(steps), functions: Object.values(steps) });
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
      ],
    };
    new PlatformFunction(this, platform, 'operator/adoptDomain', {
      description: 'Puts a domain that is at the registrar already under an account; called by hand',
      timeout: 60,
      uses: [...state, delegate, makeZones, writeZones],
    });
    this.mirrorsName = names.queue('dns-mirrors');
    this.mirror = this.mirroring(platform, state);
  }

  /** The queue of zones to be mirrored and the function behind it. */
  private mirroring(platform: Platform, state: Use[]): Use {
    const failures = new FailureQueue(this, platform, 'dns-failures');
    const queue = new Queue(this, 'Mirrors', {
      queueName: this.mirrorsName,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(VISIBLE_AGAIN),
      retentionPeriod: Duration.days(14),
      deadLetterQueue: { queue: failures.queue, maxReceiveCount: 10 },
    });
    const mirror = new PlatformFunction(this, platform, 'queue/mirrorZone', {
      description: 'Makes the name servers hold what the table holds',
      timeout: MIRROR_SECONDS,
      memory: 512,
      uses: [
        ...state,
        writeZones,
        {
          rights: [
            {
              actions: ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'ChangeMessageVisibility'].map(
                (action) => `sqs:${action}`,
              ),
              on: [queue.queueArn],
            },
          ],
        },
      ],
    });
    new EventSourceMapping(this, 'Changes', {
      target: mirror.lambda,
      eventSourceArn: queue.queueArn,
      batchSize: 5,
      maxConcurrency: 4,
      reportBatchItemFailures: true,
    });
    return {
      variables: { MIRROR_QUEUE_URL: queue.queueUrl },
      rights: [{ actions: ['sqs:SendMessage'], on: [queue.queueArn] }],
    };
  }
}
