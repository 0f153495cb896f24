import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Stack, Validations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import type { CellParts } from './app-rights.ts';

/**
 * A permission for actions on resources. Resources are named, and `*` is used only for AWS actions without resource-level permissions.
 */
export interface Right {
  actions: string[];
  on: string[];
  /** IAM condition operators. */
  when?: Record<string, Record<string, string | string[]>>;
  /** Reason for a wildcard in a resource. A right without a reason must not have a wildcard; cdk-nag enforces that. */
  wildcard?: string;
}

/**
 * Access to a resource, provided by the resource's stack: the environment variables that name it and the permissions on it.
 */
export interface Use {
  variables?: Record<string, string>;
  rights?: Right[];
  /** Returns the same rights in another hosting cell, where the function assumes a role named after it (lib/stacks/cell.ts). */
  inCells?: (cell: CellParts) => Right[];
}

/** Returns the policy of these rights. Throws for a wildcard without a reason. */
export function policyOf(rights: Right[]): PolicyDocument {
  for (const { actions, on, wildcard } of rights) {
    if (wildcard === undefined && on.some((resource) => resource.includes('*')))
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
    const names = on.map((resource) => flatten(Stack.of(scope).resolve(resource)));
    for (const resource of names.filter((name) => name.includes('*'))) {
      Validations.of(scope).acknowledge({ id: `AwsSolutions-IAM5[Resource::${resource}]`, reason: wildcard });
    }
  }
}

/** Returns a name in cdk-nag's notation for findings: `<AWS::AccountId>` for a reference. */
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
