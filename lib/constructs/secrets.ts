import { CfnSecret, Secret, type SecretProps } from 'aws-cdk-lib/aws-secretsmanager';
import { RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Names } from '../names.ts';
import type { Use } from './rights.ts';

/** A secret's name and ARN (lib/names.ts). */
type SecretNames = Names['originSecret'];

/**
 * Lets a function read a secret at run time: a variable with the secret's name, and the permission. The value is in no template and in no
 * function's configuration.
 */
export const readsSecret = (variable: string, { name, arn }: SecretNames): Use => ({
  variables: { [variable]: name },
  rights: [{ actions: ['secretsmanager:GetSecretValue'], on: [arn] }],
});

/** Creates a secret with a random value. `reason` explains why it is not rotated automatically. */
export function createSecret(
  scope: Construct,
  id: string,
  { name }: SecretNames,
  { reason, ...props }: SecretProps & { description: string; reason: string },
): Secret {
  const secret = new Secret(scope, id, { ...props, secretName: name, removalPolicy: RemovalPolicy.DESTROY });
  Validations.of(secret).acknowledge({ id: 'AwsSolutions-SMG4', reason });
  return secret;
}

/**
 * Creates a secret whose value operators store. It is created without a value, which the code treats as a missing key, and no deployment
 * writes a value.
 */
export function createEmptySecret(
  scope: Construct,
  id: string,
  names: SecretNames,
  props: { description: string; reason: string },
): void {
  const { defaultChild } = createSecret(scope, id, names, props).node;
  if (!(defaultChild instanceof CfnSecret)) throw new Error(`${id} is not a secret`);
  defaultChild.generateSecretString = undefined;
}
