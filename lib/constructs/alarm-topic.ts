import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Severity } from '../../contract/limits/service-levels.ts';
import type { Platform } from '../stacks/platform-stack.ts';
import type { AlarmActions } from './alarms.ts';

/** The topics of a region's alarms, one for each severity. */
export interface AlarmTopics {
  topics: Record<Severity, Topic>;
  actions: AlarmActions;
}

/**
 * Creates the topics of a region's alarms, which operators receive by email: one for alarms that need an immediate response, and one for
 * alarms that can wait for the next working day.
 * @param nameOf returns a topic's name from its kind
 */
export function alarmTopics(
  scope: Construct,
  { config }: Platform,
  nameOf: (kind: string) => string,
  ...publishers: ServicePrincipal[]
): AlarmTopics {
  const create = (id: string, email: string | undefined) => {
    const topic = new Topic(scope, id, { topicName: nameOf(id.toLowerCase()), enforceSSL: true });
    // The policy that requires TLS replaces the default policy, which would allow CloudWatch to publish.
    for (const publisher of [new ServicePrincipal('cloudwatch.amazonaws.com'), ...publishers]) {
      topic.grantPublish(publisher);
    }
    if (email) topic.addSubscription(new EmailSubscription(email));
    return topic;
  };
  const page = create('Pages', config.pageEmail ?? config.alarmEmail);
  const ticket = create('Tickets', config.alarmEmail);
  return { topics: { page, ticket }, actions: { page: new SnsAction(page), ticket: new SnsAction(ticket) } };
}
