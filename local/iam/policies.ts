import { isObject, type Json, type JsonObject, objects } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';

/** A statement of a policy, with its elements as lists. */
export interface Statement {
  readonly effect: string;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** The statement in the template. */
  readonly document: JsonObject;
}

/** All policies of the synthesized stacks, with every reference resolved to its local ARN. */
export interface Policies {
  /** Role ARN → statements of its inline and managed policies. */
  readonly roles: ReadonlyMap<string, readonly Statement[]>;
  /** ARN of a bucket, queue, key or role → its resource policy. */
  readonly resources: ReadonlyMap<string, JsonObject>;
  /** ARN of a bucket, which contains no account → the account that owns it. */
  readonly bucketOwners: ReadonlyMap<string, string>;
}

const strings = (value: Json | undefined): string[] =>
  value === undefined ? [] : (Array.isArray(value) ? value : [value]).map(String);

function statementsOf(document: Json | undefined): Statement[] {
  const { Statement } = isObject(document) ? document : {};
  return objects(Array.isArray(Statement) ? Statement : [Statement ?? null]).map((statement) => ({
    effect: String(statement.Effect),
    actions: strings(statement.Action),
    resources: strings(statement.Resource),
    document: statement,
  }));
}

function roleStatements(template: Template): Map<string, Statement[]> {
  const roles = new Map<string, Statement[]>();
  const byName = new Map<string, Statement[]>();
  for (const { arn, name, properties } of template.resources('AWS::IAM::Role')) {
    const statements = objects(properties.Policies).flatMap(({ PolicyDocument }) => statementsOf(PolicyDocument));
    roles.set(arn, statements);
    byName.set(name, statements);
  }
  for (const type of ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy']) {
    for (const { properties } of template.resources(type)) {
      for (const name of strings(properties.Roles)) {
        byName.get(name)?.push(...statementsOf(properties.PolicyDocument));
      }
    }
  }
  return roles;
}

/** Adds the statements of a policy to a resource's existing ones. */
function append(policies: Map<string, JsonObject>, arn: string, document: Json | undefined): void {
  const known = policies.get(arn)?.Statement;
  const added = statementsOf(document).map((statement) => statement.document);
  policies.set(arn, { Version: '2012-10-17', Statement: [...objects(known), ...added] });
}

/** Reads the policies of every role, and those of buckets, queues, keys and roles. */
export function readPolicies(template: Template): Policies {
  const resources = new Map<string, JsonObject>();
  for (const { properties } of template.resources('AWS::S3::BucketPolicy')) {
    append(resources, `arn:aws:s3:::${String(properties.Bucket)}`, properties.PolicyDocument);
  }
  const queues = new Map(template.resources('AWS::SQS::Queue').map(({ ref, arn }) => [ref, arn]));
  for (const { properties } of template.resources('AWS::SQS::QueuePolicy')) {
    for (const url of strings(properties.Queues)) append(resources, queues.get(url) ?? url, properties.PolicyDocument);
  }
  for (const { arn, properties } of template.resources('AWS::KMS::Key')) {
    append(resources, arn, properties.KeyPolicy);
  }
  for (const { arn, properties } of template.resources('AWS::IAM::Role')) {
    append(resources, arn, properties.AssumeRolePolicyDocument);
  }
  const bucketOwners = new Map(template.resources('AWS::S3::Bucket').map(({ arn, account }) => [arn, account]));
  return { roles: roleStatements(template), resources, bucketOwners };
}
