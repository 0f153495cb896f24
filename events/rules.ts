import type { BaseRule } from 'aws-lambda-stream/pipelines/index';
import { routeNewApp, startDeployment, startTeardown } from '../domain/executions.ts';
import { App, Deployment } from '../table/entities.ts';
import { billingRules } from './billing-rules.ts';
import { follow, type Rule } from './consume.ts';
import { type CustomDomainRuleDeps, customDomainRules } from './custom-domain-rules.ts';
import { type DatabaseRuleDeps, databaseRules } from './database-rules.ts';
import { type DomainRuleDeps, domainRules } from './domain-rules.ts';
import { type DoorRuleDeps, doorRules } from './door-rules.ts';
import { type HostingRuleDeps, hostingRules } from './hosting-rules.ts';
import { type WebhookRuleDeps, webhookRules } from './webhook-rules.ts';

type AppRuleDeps = Parameters<typeof startTeardown>[0] & Parameters<typeof routeNewApp>[0];
export type RuleDeps = AppRuleDeps &
  WebhookRuleDeps &
  HostingRuleDeps &
  DatabaseRuleDeps &
  DomainRuleDeps &
  Parameters<typeof billingRules>[0] &
  CustomDomainRuleDeps &
  DoorRuleDeps;

/** Everything that follows from a change of the table. At least once each: every act may be repeated. */
export const rules = (deps: RuleDeps): BaseRule[] => [
  ...appRules(deps),
  ...webhookRules(deps),
  ...hostingRules(deps),
  ...databaseRules(deps),
  ...domainRules(deps),
  ...billingRules(deps),
  ...customDomainRules(deps),
  ...doorRules(deps),
];

const appRules = (deps: AppRuleDeps): Rule[] => [
  {
    id: 'new-app-shows-placeholder',
    flavor: follow,
    eventType: 'app-created',
    act: ({ event }) => routeNewApp(deps, App.parse(event.raw.new)),
  },
  {
    id: 'queued-deployment-starts',
    flavor: follow,
    eventType: 'deployment-created',
    filters: [({ event: { raw } }) => raw.new?.status === 'QUEUED' && !raw.new.waiting],
    act: ({ event }) => startDeployment(deps, Deployment.parse(event.raw.new)),
  },
  {
    id: 'deployment-whose-turn-it-is-starts',
    flavor: follow,
    eventType: 'deployment-updated',
    filters: [({ event: { raw } }) => Boolean(raw.old?.waiting) && Boolean(raw.new) && !raw.new?.waiting],
    act: ({ event }) => startDeployment(deps, Deployment.parse(event.raw.new)),
  },
  {
    id: 'deleted-app-is-torn-down',
    flavor: follow,
    eventType: 'app-updated',
    filters: [({ event: { raw } }) => raw.new?.status === 'DELETING' && raw.old?.status !== 'DELETING'],
    act: ({ event }) => startTeardown(deps, App.parse(event.raw.new)),
  },
];
