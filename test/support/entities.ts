import * as accounts from '../../table/entities/accounts.ts';
import * as ai from '../../table/entities/ai.ts';
import * as apps from '../../table/entities/apps.ts';
import * as audit from '../../table/entities/audit.ts';
import * as billing from '../../table/entities/billing.ts';
import * as customDomains from '../../table/entities/custom-domains.ts';
import * as databases from '../../table/entities/databases.ts';
import * as deployments from '../../table/entities/deployments.ts';
import * as dns from '../../table/entities/dns.ts';
import * as hosting from '../../table/entities/hosting.ts';
import * as lookups from '../../table/entities/lookups.ts';
import * as migrations from '../../table/entities/migrations.ts';
import * as registrar from '../../table/entities/registrar.ts';
import * as webhooks from '../../table/entities/webhooks.ts';
import type { Entity } from '../../table/entity.ts';

/** An entity whose items a test treats as plain records. */
export type AnyEntity = Entity<Record<string, unknown>, Record<string, unknown>>;

const isEntity = (value: unknown): value is AnyEntity =>
  typeof value === 'object' && value !== null && 'parse' in value && 'key' in value;

/** Returns the entities that modules export, by type. */
export const entitiesIn = (modules: readonly object[]): Map<string, AnyEntity> =>
  new Map(modules.flatMap((each) => Object.values(each).filter(isEntity)).map((entity) => [entity.type, entity]));

const AREAS = {
  ...{ accounts, ai, apps, audit, billing, 'custom-domains': customDomains, databases, deployments, dns, hosting },
  ...{ lookups, migrations, registrar, webhooks },
};

/** The modules of `table/entities`. */
export const ENTITY_MODULES = Object.keys(AREAS);

/** Every entity of the table, by type. */
export const ENTITIES = entitiesIn(Object.values(AREAS));
