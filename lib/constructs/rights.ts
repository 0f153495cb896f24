import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Stack, Validations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import type { CellParts } from './app-rights.ts';

/**
 * Permission for actions on resources. Resources are named and never `*`, unless the AWS action has no resource-level
 * permissions.
 */
export interface Right {
  actions: string[];
  on: string[];
  /** IAM condition operators. */
  when?: Record<string, Record<string, string | string[]>>;
  /** Reason for a wildcard in a resource. A right without a reason must have no wildcard; cdk-nag enforces it. */
  wildcard?: string;
}

/**
 * Access to a resource: the environment variables that name it and the permissions on it. The resource's stack provides
 * it.
 */
export interface Use {
  variables?: Record<string, string>;
  rights?: Right[];
  /** Returns the same rights in another hosting cell, where the function assumes a role that has its name (lib/stacks/cell.ts). */
  inCells?: (cell: CellParts) => Right[];
}

/** Returns the policy of these rights. Throws for a wildcard without a reason. */
export function policyOf(rights: Right[]): PolicyDocument {
  for (const { actions, on, wildcard } of rights) {
    if (wildcard === undefined && on.some((each) => each.includes('*')))
      throw new Error(`The right to ${actions.join(', ')} has a wildcard and needs a reason`);
  }
  return new PolicyDocument({
    minimize: true,
    statements: rights.map(
      ({ actions, on, when }) => new PolicyStatement({ actions, resources: on, ...(when ? { conditions: when } : {}) }),
    ),
  });
}

/** Acknowledges the wildcards of this construct's policies to cdk-nag, with their reasons. */
export function explainWildcards(scope: IConstruct, rights: Right[]): void {
  for (const { on, wildcard } of rights) {
    if (!wildcard) continue;
    for (const resource of on
      .map((each) => flatten(Stack.of(scope).resolve(each)))
      .filter((each) => each.includes('*'))) {
      Validations.of(scope).acknowledge({ id: `AwsSolutions-IAM5[Resource::${resource}]`, reason: wildcard });
    }
  }
}

/** Returns a name as cdk-nag writes it in findings: `<AWS::AccountId>` for a reference. */
function flatten(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  if ('Ref' in value) return `<${flatten(value.Ref)}>`;
  if ('Fn::GetAtt' in value && Array.isArray(value['Fn::GetAtt']))
    return `<${value['Fn::GetAtt'].map(flatten).join('.')}>`;
  if ('Fn::Join' in value && Array.isArray(value['Fn::Join'])) {
    const [separator, parts] = value['Fn::Join'];
    return Array.isArray(parts) ? parts.map(flatten).join(flatten(separator)) : '';
  }
  return JSON.stringify(value);
}
