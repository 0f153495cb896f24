import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Platform } from '../stacks/platform-stack.ts';

/** Creates the topic of a region's alarms, which the operators receive by email. */
export function alarmTopic(
  scope: Construct,
  { config }: Platform,
  topicName: string,
  ...publishers: ServicePrincipal[]
): Topic {
  const topic = new Topic(scope, 'Alarms', { topicName, enforceSSL: true });
  // A policy that requires TLS replaces the default policy, which let CloudWatch publish.
  for (const publisher of [new ServicePrincipal('cloudwatch.amazonaws.com'), ...publishers]) {
    topic.grantPublish(publisher);
  }
  if (config.alarmEmail) topic.addSubscription(new EmailSubscription(config.alarmEmail));
  return topic;
}
