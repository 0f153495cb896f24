import type { Command } from '../command.ts';
import { accountCommands } from './account.ts';
import { aiCommands } from './ai.ts';
import { appCommands } from './apps.ts';
import { databaseCommands } from './databases.ts';
import { deploymentCommands } from './deployments.ts';
import { domainCommands } from './domains.ts';
import { environmentCommands } from './environment.ts';
import { shellCommands } from './shell.ts';
import { webhookCommands } from './webhooks.ts';

/** All commands, in the order of the help and the documentation. */
export const commands: readonly Command[] = [
  ...accountCommands,
  ...deploymentCommands,
  ...appCommands,
  ...environmentCommands,
  ...domainCommands,
  ...webhookCommands,
  ...databaseCommands,
  ...aiCommands,
  ...shellCommands,
];
