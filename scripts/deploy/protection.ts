import * as z from 'zod';
import { isProtectedStage } from '../../lib/config.ts';
import type { Clients } from '../preflight/clients.ts';

export interface DeployedStack {
  name: string;
  region: string;
  /** The account of the deployment; undefined for the caller's account. */
  account: string | undefined;
}

const Stack = z.object({
  environment: z.string().transform((text, { issues }) => {
    const [, account = '', region = ''] = /^aws:\/\/([^/]+)\/([^/]+)$/.exec(text) ?? [];
    if (!region) issues.push({ code: 'custom', message: `no environment: ${text}`, input: text });
    return { account: account === 'unknown-account' ? undefined : account, region };
  }),
  // cdk writes the name only if it differs from the artifact's id.
  properties: z.looseObject({ stackName: z.string().optional(), tags: z.record(z.string(), z.string()).default({}) }),
});

const Manifest = z.object({ artifacts: z.record(z.string(), z.looseObject({ type: z.string() })) });

/**
 * Returns the stacks of an assembly whose stage is protected.
 * @param manifest the text of its manifest.json
 */
export function protectedStacksOf(manifest: string): DeployedStack[] {
  const { artifacts } = Manifest.parse(JSON.parse(manifest));
  return Object.entries(artifacts).flatMap(([id, artifact]) => {
    if (artifact.type !== 'aws:cloudformation:stack') return [];
    const { environment, properties } = Stack.parse(artifact);
    return isProtectedStage(properties.tags.stage ?? '') ? [{ name: properties.stackName ?? id, ...environment }] : [];
  });
}

const Described = z.object({
  Stacks: z.object({
    member: z.array(z.object({ StackStatus: z.string(), EnableTerminationProtection: z.string().default('false') })),
  }),
});

/** States of a stack whose creation has completed. In any other state, protection would prevent deleting and recreating the stack. */
const CREATED = /^(CREATE|UPDATE|UPDATE_ROLLBACK|IMPORT|IMPORT_ROLLBACK)_COMPLETE$/;

const Identity = z.object({ Account: z.string() });

/**
 * Protects the existing stacks of the caller's account from deletion. Returns the names of the newly protected ones, and the stacks of
 * other accounts.
 */
export async function protectStacks(
  { query }: Pick<Clients, 'query'>,
  stacks: readonly DeployedStack[],
): Promise<{ done: string[]; elsewhere: DeployedStack[] }> {
  const { Account } = Identity.parse(await query('sts', 'us-east-1', 'GetCallerIdentity'));
  const isHere = ({ account = Account }: DeployedStack) => account === Account;
  const done: string[] = [];
  for (const { name, region } of stacks.filter(isHere)) {
    const state = await describe(query, name, region);
    if (!state || !CREATED.test(state.StackStatus) || state.EnableTerminationProtection === 'true') continue;
    const input = { StackName: name, EnableTerminationProtection: 'true' };
    await query('cloudformation', region, 'UpdateTerminationProtection', input);
    done.push(name);
  }
  return { done, elsewhere: stacks.filter((stack) => !isHere(stack)) };
}

/** Returns a line for each other account, with the command that deploys and protects its stacks. */
export function describeOthers(elsewhere: readonly DeployedStack[]): string[] {
  const accounts = Map.groupBy(elsewhere, ({ account }) => account);
  return [...accounts].map(([account, stacks]) => {
    const cells = new Set(stacks.flatMap(({ name }) => /-cell-[a-z0-9]+-/.exec(name) ?? []));
    const names = [...cells].map((cell) => `'*${cell}*' `).join('');
    return `Not looked at: ${stacks.length} stacks of the account ${account}. With its credentials: npm run deploy -- ${names}…`;
  });
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
