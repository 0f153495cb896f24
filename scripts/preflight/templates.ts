import * as z from 'zod';
import { isObject } from '../../contract/json.ts';
import { type Check, check, mapLimited } from './check.ts';
import type { Clients } from './clients.ts';
import type { Plan } from './plan.ts';

/** The part of a JSON schema in CloudFormation's registry that the checks read. */
const Node = z.looseObject({
  $ref: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  additionalProperties: z.unknown().optional(),
  patternProperties: z.unknown().optional(),
});
const Schema = Node.extend({
  definitions: z.record(z.string(), z.unknown()).default({}),
  primaryIdentifier: z.array(z.string()).default([]),
  readOnlyProperties: z.array(z.string()).default([]),
  handlers: z.record(z.string(), z.unknown()).default({}),
});
export type Schema = z.output<typeof Schema>;

/** Returns the paths of the properties that the schema lacks, such as `DistributionConfig.ConnectionMode`. */
export function unknownProperties(
  schema: Schema,
  value: unknown,
  node: unknown = schema,
  path: string[] = [],
): string[] {
  const { success, data } = Node.safeParse(node);
  if (!success) return [];
  if (data.$ref) return unknownProperties(schema, value, schema.definitions[data.$ref.split('/').at(-1) ?? ''], path);
  if (Array.isArray(value)) return value.flatMap((item) => unknownProperties(schema, item, data.items, path));
  const { properties } = data;
  // Objects without listed properties may have any content, such as tags and policy documents. So may alternatives.
  if (!isObject(value) || !properties || data.additionalProperties === true || data.patternProperties) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    Object.hasOwn(properties, name)
      ? unknownProperties(schema, each, properties[name], [...path, name])
      : [[...path, name].join('.')],
  );
}

const Described = z.object({ Schema: z.string() });

/** Reads a type's schema in a region; undefined if CloudFormation does not have the type there. */
export async function readSchema({ query }: Clients, region: string, type: string): Promise<Schema | undefined> {
  try {
    const input = { Type: 'RESOURCE', TypeName: type };
    const { Schema: text } = Described.parse(await query('cloudformation', region, 'DescribeType', input));
    return Schema.parse(JSON.parse(text));
  } catch (error) {
    if (error instanceof Error && error.name === 'TypeNotFoundException') return undefined;
    throw error;
  }
}

/** Returns true for types in CloudFormation's registry: not custom resources, nor CDK's metadata. */
export const isRegistered = (type: string): boolean => !type.startsWith('Custom::') && type !== 'AWS::CDK::Metadata';

/** Checks that CloudFormation in a region has all types of the templates, with all properties that they set. */
function checkTypes(plan: Plan, region: string): Check {
  const inRegion = plan.stacks.filter((stack) => stack.region === region);
  const names = new Set(inRegion.map(({ name }) => name));
  const types = [...new Set(inRegion.flatMap((stack) => [...stack.types]))].filter(isRegistered).sort();
  return check({
    what: `Resource types of CloudFormation in ${region}`,
    needed: `${types.length} types, with the properties that the templates set`,
    region,
    find: (clients) =>
      mapLimited(types, 4, async (type) => {
        const schema = await readSchema(clients, region, type);
        if (!schema) return [type];
        const resources = plan.resources(type).filter(({ stack }) => names.has(stack));
        const unknown = resources.flatMap(({ properties }) => unknownProperties(schema, properties));
        return unknown.length > 0 ? [`${type} (${[...new Set(unknown)].sort().join(', ')})`] : [];
      }),
    assess: (missing) => ({
      ok: missing.flat().length === 0,
      found: missing.flat().length === 0 ? 'all' : `missing: ${missing.flat().join(', ')}`,
      remedy: [
        `Choose a region that has them (docs/deploying.md, 2. Regions): ${plan.isHome ? '-c region=' : 'that of the cell in -c cells='}`,
      ],
    }),
    remedy: [`Check that CloudFormation works: aws cloudformation list-types --region ${region}`],
  });
}

export const checkTemplates = (plan: Plan): Check[] => plan.regions.map((region) => checkTypes(plan, region));
