import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Entity } from '../../table/entity.ts';

/** An entity whose items a test treats as plain records. */
export type AnyEntity = Entity<Record<string, unknown>, Record<string, unknown>>;

const isEntity = (value: unknown): value is AnyEntity =>
  typeof value === 'object' && value !== null && 'parse' in value && 'key' in value;

/** Returns the entities that modules export, by type. */
export const entitiesIn = (modules: readonly object[]): Map<string, AnyEntity> =>
  new Map(modules.flatMap((each) => Object.values(each).filter(isEntity)).map((entity) => [entity.type, entity]));

const FOLDER = resolve(import.meta.dirname, '../../table/entities');
const modules = readdirSync(FOLDER).filter((name) => !name.includes('.test.'));

/** Every entity of the table, by type. */
export const ENTITIES = entitiesIn(
  await Promise.all(modules.map(async (name) => (await import(join(FOLDER, name))) as object)),
);
