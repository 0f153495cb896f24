import { createWebhookSender } from '../../providers/webhooks/sender.ts';
import { deps } from '../deps.ts';

export const webhookSender = createWebhookSender({ allowLocal: deps.settings.allowLocalWebhooks });
