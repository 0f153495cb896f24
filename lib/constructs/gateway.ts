import {
  type HttpApi,
  HttpIntegrationType,
  HttpMethod,
  HttpRoute,
  HttpRouteIntegration,
  HttpRouteKey,
  IntegrationCredentials,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Stack } from 'aws-cdk-lib/core';
import { listPaths } from '../../contract/route.ts';
import type { AnyRoute } from '../../contract/routes.ts';
import type { Platform } from '../stacks/platform-stack.ts';
import { LIVE } from './canary.ts';
import type { PlatformFunction } from './function.ts';
import { explainWildcards, policyOf, type Right } from './rights.ts';

/**
 * Returns the role with which API Gateway invokes a group of functions of a stack. One role replaces a permission for each function, which
 * would bring stacks near the limit of 500 resources.
 */
export function gatewayRole(stack: Stack, { names }: Platform, group: string): Role {
  const id = `GatewayRole-${group}`;
  const found = stack.node.tryFindChild(id);
  if (found instanceof Role) return found;
  const rights: Right[] = [
    {
      actions: ['lambda:InvokeFunction'],
      on: [names.functionsOf(group, `:${LIVE}`)],
      wildcard: 'the functions of the group, by what their names begin with',
    },
  ];
  const role = new Role(stack, id, {
    description: `API Gateway: invokes the functions of ${group}`,
    assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
    inlinePolicies: { invoke: policyOf(rights) },
  });
  explainWildcards(role, rights);
  return role;
}

/** Invokes a function's live alias with a role. CDK's own integration would add a permission to the function instead. */
export class LiveIntegration extends HttpRouteIntegration {
  readonly #handler: PlatformFunction;
  readonly #role: Role;

  constructor(handler: PlatformFunction, role: Role) {
    super(`${handler.node.id}Integration`);
    this.#handler = handler;
    this.#role = role;
  }

  override bind() {
    return {
      type: HttpIntegrationType.AWS_PROXY,
      uri: this.#handler.live.functionArn,
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
      credentials: IntegrationCredentials.fromRole(this.#role),
    };
  }
}

/** Routes an operation's paths, including that of the dashboard, to its function. */
export function addRoutes(handler: PlatformFunction, httpApi: HttpApi, operation: AnyRoute<string>, role: Role): void {
  const { method, path } = operation;
  const integration = new LiveIntegration(handler, role);
  for (const routePath of listPaths(operation)) {
    new HttpRoute(Stack.of(handler), `${handler.node.id}${routePath === path ? '' : 'Dashboard'}Route`, {
      httpApi,
      routeKey: HttpRouteKey.with(routePath, HttpMethod[method]),
      integration,
    });
  }
}
