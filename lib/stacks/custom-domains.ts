import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { CrossStackReferences, ReferenceStrength } from 'aws-cdk-lib/core';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { tenantRights } from '../constructs/app-rights.ts';
import { PlatformFunction } from '../constructs/function.ts';
import type { Use } from '../constructs/rights.ts';
import { Machine } from '../constructs/state-machine.ts';
import { createTenantEdge } from '../constructs/tenant-edge.ts';
import { edgeTenantMachine } from '../state-machines/custom-domains.ts';
import type { AppHostingStack } from './app-hosting.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { TableStack } from './table.ts';

/** Name servers for DNS queries. Empty on AWS, which means Lambda's resolver; the local run sets its own. */
export const DNS_LOOKUP: Use = { variables: { DNS_SERVERS: '' } };

/**
 * The edge of custom domains: a multi-tenant distribution with a tenant and a certificate per domain, and the state
 * machine that creates and removes them (docs/decisions/0018-custom-domains.md).
 */
export class CustomDomainsStack extends PlatformStack {
  /** Provides the edge endpoint, to which custom domains must point. */
  readonly endpoint: Use;
  /** Starts the reconciliation of a domain's tenant. */
  readonly reconcile: Use;
  /** The distribution of all custom domains. */
  readonly distributionId: string;

  constructor(
    platform: Platform,
    { table, appHosting }: { table: TableStack; appHosting: AppHostingStack },
    certificate?: ICertificate,
  ) {
    super(platform, 'doors', 'The edge of applications’ custom domains');
    const { names } = platform;
    this.addStackDependency(table);

    const { distribution, group } = createTenantEdge(this, platform, {
      routes: appHosting.routes,
      staticFiles: appHosting.staticFiles,
      certificate,
    });
    // Read by the stack of access logs in another region.
    CrossStackReferences.of(distribution).produce(ReferenceStrength.WEAK);
    this.distributionId = distribution.ref;
    this.endpoint = { variables: { EDGE_ENDPOINT: group.attrRoutingEndpoint } };

    const reconcileTenant = new PlatformFunction(this, platform, 'workflow/reconcileTenant', {
      description:
        'Checks a custom domain and creates or removes its edge tenant; a step of a state machine: reconcileTenant',
      timeout: TIMEOUTS_S.tenant.function,
      uses: [
        table.read,
        table.write,
        appHosting.route,
        this.endpoint,
        DNS_LOOKUP,
        {
          variables: { TENANT_DISTRIBUTION_ID: distribution.ref, CONNECTION_GROUP_ID: group.attrId },
          rights: tenantRights({
            names,
            tenantDistributionArn: names.distribution(distribution.ref),
            connectionGroupArn: group.attrArn,
          }),
          inCells: tenantRights,
        },
      ],
    });
    new Machine(this, platform, 'door', {
      definition: edgeTenantMachine({ reconcileTenant: reconcileTenant.live.functionArn }),
      functions: [reconcileTenant],
    });
    this.reconcile = {
      variables: { TENANT_STATE_MACHINE_ARN: names.door.arn },
      rights: [{ actions: ['states:StartExecution'], on: [names.door.arn] }],
    };
  }
}
