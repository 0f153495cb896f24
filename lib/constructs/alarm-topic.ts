import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Platform } from '../stacks/platform-stack.ts';

/** Creates the topic of a region's alarms, which the operators receive by email. */
export function alarmTopic(scope: Construct, { config, names }: Platform, ...publishers: ServicePrincipal[]): Topic {
  // The topic of the edge is in another region, which an installation elsewhere may share.
  const isHome = Stack.of(scope).region === config.region;
  const topicName = isHome ? `${config.prefix}-alarms` : names.global('alarms');
  const topic = new Topic(scope, 'Alarms', { topicName, enforceSSL: true });
  // A policy that requires TLS replaces the default policy, which let CloudWatch publish.
  for (const publisher of [new ServicePrincipal('cloudwatch.amazonaws.com'), ...publishers]) {
    topic.grantPublish(publisher);
  }
  if (config.alarmEmail) topic.addSubscription(new EmailSubscription(config.alarmEmail));
  return topic;
}
