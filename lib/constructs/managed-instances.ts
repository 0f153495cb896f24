import { IpAddresses, type IVpc, Peer, Port, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, CapacityProvider, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Platform } from '../stacks/platform-stack.ts';

/** Maximum open invocations of one execution environment. Measured memory and processor time leave headroom (bench/benchmarks/ai-open-calls.ts). */
const MAX_CONCURRENCY = 500;
/** The minimum memory on managed instances, which corresponds to one vCPU. */
export const MANAGED_MEMORY_MB = 2048;
/** Number of availability zones. Lambda starts with one instance in each. */
export const MANAGED_ZONES = 3;
/** The smallest limit that a capacity provider accepts. Operators decide on further growth. */
const MAX_VCPUS = 48;

/**
 * Instances that Lambda manages, on which one execution environment serves many concurrent invocations, so that a waiting invocation does not
 * occupy its own environment (docs/decisions/0063-ai-on-managed-instances.md).
 */
export class ManagedInstances extends Construct {
  readonly #provider: CapacityProvider;

  constructor(scope: Construct, { names }: Platform) {
    super(scope, 'ManagedInstances');
    const vpc = new Vpc(this, 'Vpc', {
      maxAzs: MANAGED_ZONES,
      ipAddresses: IpAddresses.cidr('10.20.0.0/16'),
      natGateways: 1,
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [
        { name: 'public', subnetType: SubnetType.PUBLIC, cidrMask: 24 },
        { name: 'private', subnetType: SubnetType.PRIVATE_WITH_EGRESS, cidrMask: 20 },
      ],
    });
    const securityGroup = new SecurityGroup(this, 'SecurityGroup', {
      // CDK's own types do not agree with exactOptionalPropertyTypes.
      vpc: vpc as IVpc,
      description: 'Instances of the AI gateway: nothing reaches them, and they reach HTTPS',
      allowAllOutbound: false,
    });
    securityGroup.addEgressRule(Peer.anyIpv4(), Port.tcp(443), 'AI providers and AWS');
    const operatorRole = new Role(this, 'Operator', {
      description: 'Lambda: starts and ends the instances of the capacity provider',
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('AWSLambdaManagedEC2ResourceOperator')],
    });
    Validations.of(vpc).acknowledge({
      id: 'AwsSolutions-VPC7',
      reason: 'nothing reaches the instances, and what they call is in the traces and logs of the function',
    });
    Validations.of(operatorRole).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/AWSLambdaManagedEC2ResourceOperator]',
      reason: 'AWS keeps the rights of its own service in this policy, and adds to it what new features need',
    });
    this.#provider = new CapacityProvider(this, 'Capacity', {
      capacityProviderName: names.function('ai/capacity'),
      subnets: vpc.privateSubnets,
      securityGroups: [securityGroup],
      architectures: [Architecture.ARM_64],
      maxVCpuCount: MAX_VCPUS,
      operatorRole,
    });
  }

  /** Makes a function run on these instances. This cannot be reverted for the function. */
  run(lambda: LambdaFunction): void {
    this.#provider.addFunction(lambda, { perExecutionEnvironmentMaxConcurrency: MAX_CONCURRENCY });
  }
}
