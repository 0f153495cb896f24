import { BY_PLATFORM, committing } from '../domain/audit/record.ts';
import type { Deps } from '../domain/deps.ts';
import { newId } from '../domain/ids.ts';
import { createTable } from '../table/table.ts';
import { callAws } from './aws/client.ts';
import { config, required } from './config.ts';

const table = createTable(
  (operation, input, policy) => callAws('dynamodb', operation, input, policy),
  required('TABLE_NAME'),
);

/** Dependencies of every domain function in this process. */
export const deps: Deps = {
  table,
  now: () => new Date(),
  newId,
  settings: {
    publicUrl: config.PUBLIC_URL ?? '',
    appsDomain: required('APPS_DOMAIN'),
    hostArnOf: (applicationId) => required('APP_FUNCTION_ARN_PREFIX') + applicationId,
    allowLocalWebhooks: config.ALLOW_LOCAL_WEBHOOKS === 'true',
    // Read on demand, because each has its own schema to build.
    get allowLocalRepositories() {
      return config.ALLOW_LOCAL_REPOSITORIES === 'true';
    },
    get webhookRetrySchedule() {
      return config.WEBHOOK_RETRY_SCHEDULE;
    },
    get aiCallsPerAccount() {
      return config.AI_CALLS_PER_ACCOUNT;
    },
    get mailFrom() {
      return config.MAIL_FROM || undefined;
    },
  },
  commit: async (...given) => await committing(deps, BY_PLATFORM)(...given),
};
