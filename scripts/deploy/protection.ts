import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { isProtectedStage } from '../../lib/config.ts';
import type { Clients } from '../preflight/clients.ts';

export interface DeployedStack {
  name: string;
  region: string;
}

const Manifest = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      environment: z.string().optional(),
      properties: z
        .looseObject({ stackName: z.string(), tags: z.record(z.string(), z.string()) })
        .optional()
        .catch(undefined),
    }),
  ),
});

/** Returns the stacks of an assembly (cdk.out) whose stage is protected. */
export function protectedStacksOf(assembly: string): DeployedStack[] {
  const { artifacts } = Manifest.parse(JSON.parse(readFileSync(join(assembly, 'manifest.json'), 'utf8')));
  return Object.values(artifacts).flatMap(({ type, environment = '', properties }) => {
    if (type !== 'aws:cloudformation:stack' || !properties || !isProtectedStage(properties.tags.stage ?? '')) return [];
    return [{ name: properties.stackName, region: environment.split('/').at(-1) ?? '' }];
  });
}

const Described = z.object({
  Stacks: z.object({
    member: z.array(z.object({ StackStatus: z.string(), EnableTerminationProtection: z.string().default('false') })),
  }),
});

/** States of a stack that has been created. A protected stack in any other state could not be deleted and created again. */
const CREATED = /^(CREATE|UPDATE|UPDATE_ROLLBACK|IMPORT|IMPORT_ROLLBACK)_COMPLETE$/;

/** Protects stacks that exist from deletion. Returns the names of those that it protected. */
export async function protectStacks(
  { query }: Pick<Clients, 'query'>,
  stacks: readonly DeployedStack[],
): Promise<string[]> {
  const done: string[] = [];
  for (const { name, region } of stacks) {
    const state = await describe(query, name, region);
    if (!state || !CREATED.test(state.StackStatus) || state.EnableTerminationProtection === 'true') continue;
    const input = { StackName: name, EnableTerminationProtection: 'true' };
    await query('cloudformation', region, 'UpdateTerminationProtection', input);
    done.push(name);
  }
  return done;
}

async function describe(query: Clients['query'], name: string, region: string) {
  try {
    const answer = await query('cloudformation', region, 'DescribeStacks', { StackName: name });
    return Described.parse(answer).Stacks.member[0];
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
    throw error;
  }
}
