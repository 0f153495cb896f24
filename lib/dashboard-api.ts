import { Validations } from 'aws-cdk-lib/core';
import { dashboardRoutes } from '../contract/routes.ts';
import { PlatformFunction } from './constructs/function.ts';
import { type ApiStack, route, timeoutOf } from './stacks/api.ts';
import { type Platform, PlatformStack } from './stacks/platform-stack.ts';

/**
 * What a login may do beyond what a key may: the same HTTP API, in a stack of its own because one holds 500 resources.
 * The operations of `/v1` answer to logins from the API's own stack.
 */
export class DashboardApiStack extends PlatformStack {
  constructor(platform: Platform, api: ApiStack) {
    super(platform, 'dashboard-api', 'What the dashboard can do beyond the API: a function for each of its operations');
    this.addStackDependency(api);
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'each function checks the login itself: an authorizer’s 401 is not in our shape (docs/decisions/login.md)',
    });
    for (const operation of dashboardRoutes) {
      const made = new PlatformFunction(this, platform, `dashboard/${operation.id}`, {
        description: `${operation.method} ${operation.path}`,
        uses: api.usesOf(operation),
        timeout: timeoutOf(operation),
      });
      route(made, api.api, operation);
    }
  }
}
