import { Validations } from 'aws-cdk-lib/core';
import type { OperatorUses } from '../../contract/route.ts';
import { operatorRoutes } from '../../contract/routes.ts';
import type { Use } from '../constructs/rights.ts';
import type { ApiStack } from './api.ts';
import type { HandOverStack } from './hand-over.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { DomainsStack } from './registrar.ts';
import type { SchedulesStack } from './schedules.ts';
import type { StreamStack } from './stream.ts';
import type { TableStack } from './table.ts';
import type { DeliveryStack } from './webhooks.ts';

interface OperatorNeighbors {
  table: TableStack;
  api: ApiStack;
  delivery: DeliveryStack;
  domains: DomainsStack;
  jobQueues: HandOverStack;
  stream: StreamStack;
  schedules: SchedulesStack;
}

/** Operations for the platform's operators: part of the same HTTP API, with the same login. */
export class OperatorApiStack extends PlatformStack {
  constructor(platform: Platform, { table, api, delivery, domains, jobQueues, stream, schedules }: OperatorNeighbors) {
    super(platform, 'operator-api', 'Operations for the operators of the platform: a function for each');
    this.addStackDependency(api);
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'each function verifies the login itself: an authorizer’s 401 does not have the standard error shape (docs/decisions/0015-dashboard-login.md)',
    });
    const operatorResources: Record<OperatorUses, Use[]> = {
      failures: [
        table.due,
        delivery.failures,
        domains.failures,
        ...jobQueues.failures,
        stream.failures,
        schedules.failures,
      ],
      replay: [delivery.queue, domains.syncZones, jobQueues.send, stream.replay, schedules.replay],
    };
    api.addOperations(this, 'operator-api', operatorRoutes, { ...api.resources, ...operatorResources });
  }
}
