import { Validations } from 'aws-cdk-lib/core';
import { dashboardRoutes } from '../../contract/routes.ts';
import { PlatformFunction } from '../constructs/function.ts';
import { type ApiStack, addRoutes, gatewayRole, timeoutOf } from './api.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/** Paths about the account and its members, whose functions are in a stack of their own. */
const OF_ACCOUNT = /^\/dashboard\/v1\/(account|members|membership|invitations)(\/|$)/;

/**
 * Operations for signed-in users that API keys cannot call: part of the same HTTP API, in a separate stack because a
 * stack holds at most 500 resources, and in two for the same reason. The API's own stack serves the operations of `/v1` to logins
 * too.
 */
export class DashboardApiStack extends PlatformStack {
  constructor(platform: Platform, api: ApiStack, part: 'dashboard-api' | 'account-api') {
    super(platform, part, 'Operations that only the dashboard has: a function for each');
    this.addStackDependency(api);
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'each function verifies the login itself: an authorizer’s 401 does not have the standard error shape (docs/decisions/0015-dashboard-login.md)',
    });
    for (const operation of dashboardRoutes) {
      if (OF_ACCOUNT.test(operation.path) !== (part === 'account-api')) continue;
      const handler = new PlatformFunction(this, platform, `dashboard/${operation.id}`, {
        description: `${operation.method} ${operation.path}`,
        uses: api.usesOf(operation, api.resources),
        timeout: timeoutOf(operation),
      });
      addRoutes(handler, api.api, operation, gatewayRole(this, platform, 'dashboard'));
    }
  }
}
