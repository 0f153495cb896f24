import { RemovalPolicy } from 'aws-cdk-lib/core';
import type { Config } from '../config.ts';

/**
 * Returns what becomes of a resource with data when its stack is deleted. A protected stage keeps it. A creation that is
 * rolled back does not, as there is no data yet: the resource's name would be taken when the creation is repeated
 * (`RetainExceptOnCreate`, docs/decisions/0037-first-creation-and-secrets.md).
 */
export const dataRemoval = ({ keepsData }: Config): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
