import { RemovalPolicy } from 'aws-cdk-lib/core';
import type { Config } from '../config.ts';

/**
 * Returns the removal policy of a resource with data. A protected stage retains the resource when its stack is deleted. If its creation is
 * rolled back, it is deleted in any case: there is no data yet, and its name would be taken when the creation is repeated
 * (`RetainExceptOnCreate`, docs/decisions/0037-first-creation-and-secrets.md).
 */
export const dataRemoval = ({ keepsData }: Config): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
