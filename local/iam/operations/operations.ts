import { dynamodb } from './dynamodb.ts';
import {
  acm,
  codebuild,
  kms,
  logs,
  monitoring,
  route53domains,
  secretsmanager,
  servicequotas,
  states,
  userPools,
} from './json-services.ts';
import { lambda } from './lambda.ts';
import type { Operations } from './operation.ts';
import { cloudfront, dsql, keyValueStore, route53, ses, sts } from './rest-services.ts';
import { s3, sqs } from './storage.ts';

/** Returns the tags of a resource, which conditions may compare. */
export type TagsOf = (arn: string) => Record<string, string>;

/** Returns the operations of all emulated services, by the service's name in signatures. */
export const operationsOf = (tagsOf: TagsOf): Readonly<Record<string, Operations>> => ({
  acm,
  dynamodb,
  sqs,
  s3,
  kms,
  logs,
  states,
  codebuild,
  route53domains,
  secretsmanager,
  servicequotas,
  lambda,
  'cognito-idp': userPools,
  monitoring,
  route53,
  cloudfront,
  'cloudfront-keyvaluestore': keyValueStore,
  dsql: dsql(tagsOf),
  sts,
  ses,
});
