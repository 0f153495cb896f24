import { Validations } from 'aws-cdk-lib/core';
import { dashboardRoutes, routes } from '../../contract/routes.ts';
import type { ApiStack } from './api.ts';
import { type API_PARTS, isOf } from './api-parts.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/** A part of the operations of the HTTP API (api-parts.ts), for keys and for logins. */
export class ApiPartStack extends PlatformStack {
  constructor(platform: Platform, api: ApiStack, { name, description }: (typeof API_PARTS)[number]) {
    super(platform, name, description);
    this.addStackDependency(api);
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'each function verifies the key or the login itself: an authorizer’s 401 does not have the standard error shape (docs/decisions/0015-dashboard-login.md)',
    });
    api.addOperations(this, 'api', routes.filter(isOf(name)), api.resources);
    api.addOperations(this, 'dashboard', dashboardRoutes.filter(isOf(name)), api.resources);
  }
}
