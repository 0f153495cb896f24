import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Stack, Validations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';

/** What one may do with what. Rights name resources, never `*`, unless the AWS action knows no resource. */
export interface Right {
  actions: string[];
  on: string[];
  /** Condition operators as IAM has them. */
  when?: Record<string, Record<string, string | string[]>>;
  /** Why a resource ends in a wildcard; a right without it must not have one (cdk-nag sees to that). */
  wildcard?: string;
}

/** What using a resource takes: the variables that name it, and the rights on it. Its stack hands these out. */
export interface Use {
  variables?: Record<string, string>;
  rights?: Right[];
}

export function policyOf(rights: Right[]): PolicyDocument {
  return new PolicyDocument({
    minimize: true,
    statements: rights.map(
      ({ actions, on, when }) => new PolicyStatement({ actions, resources: on, ...(when ? { conditions: when } : {}) }),
    ),
  });
}

/** Tells cdk-nag why this construct's policies have the wildcards that they have. */
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

/** A name as cdk-nag writes it in its findings: `<AWS::AccountId>` for a reference. */
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
