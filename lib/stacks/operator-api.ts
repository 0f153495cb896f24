import { Validations } from 'aws-cdk-lib/core';
import { operatorRoutes } from '../../contract/routes.ts';
import { PlatformFunction } from '../constructs/function.ts';
import { type ApiStack, addRoutes, timeoutOf } from './api.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/** Operations for the platform's operators: part of the same HTTP API, with the same login. */
export class OperatorApiStack extends PlatformStack {
  constructor(platform: Platform, api: ApiStack) {
    super(platform, 'operator-api', 'Operations for the operators of the platform: a function for each');
    this.addStackDependency(api);
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'each function verifies the login itself: an authorizer’s 401 does not have the standard error shape (docs/decisions/0015-dashboard-login.md)',
    });
    for (const operation of operatorRoutes) {
      const handler = new PlatformFunction(this, platform, `operator-api/${operation.id}`, {
        description: `${operation.method} ${operation.path}`,
        uses: api.usesOf(operation),
        timeout: timeoutOf(operation),
      });
      addRoutes(handler, api.api, operation);
    }
  }
}
