/**
 * `npm run deploy -- -c stage=prod …`: deploys all stacks with cdk, then protects those that exist from deletion. Takes cdk's
 * options and `--switch-table` (scripts/deploy/table.ts), before them the names of single stacks (`-- hosting-prod-edge -c …`), and can be
 * repeated after a failure (docs/decisions/0037-first-creation-and-secrets.md). Exit code: cdk's, or 1 where nothing is protected.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { isProtectedStage } from '../lib/config.ts';
import { type DeployedStack, describeOthers, protectedStacksOf, protectStacks } from './deploy/protection.ts';
import { assertSameTable, contextOf, profileOf } from './deploy/table.ts';
import { openClients } from './preflight/clients.ts';

/** The assembly that cdk writes. */
const ASSEMBLY = 'cdk.out';

// What an earlier run left must not be taken for this one's.
const MANIFEST = `${ASSEMBLY}/manifest.json`;
rmSync(MANIFEST, { force: true });
const { context = {} }: { context?: Record<string, unknown> } = JSON.parse(readFileSync('cdk.json', 'utf8'));
const profile = profileOf(process.argv.slice(2));
// The checks before and after are made with the credentials that cdk takes.
if (profile !== undefined) process.env.AWS_PROFILE = profile;
const args = await assertSameTable(process.argv.slice(2), context);
const areNamed = args.length > 0 && !args[0]?.startsWith('-');
const { status } = spawnSync('cdk', ['deploy', ...(areNamed ? [] : ['--all']), '--output', ASSEMBLY, ...args], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
// Without one, the synthesis failed.
if (existsSync(MANIFEST)) await protect(protectedStacksOf(readFileSync(MANIFEST, 'utf8')));

async function protect(stacks: readonly DeployedStack[]): Promise<void> {
  const [first] = stacks;
  if (!first) {
    if (!isProtectedStage(contextOf(args, context).stage ?? 'dev')) return;
    throw new Error('No stack is protected from deletion: the assembly names none of a protected stage.');
  }
  const { done, elsewhere } = await protectStacks(openClients({ region: first.region }), stacks);
  const names = done.length > 0 ? ` (${done.join(', ')})` : '';
  console.log(`Protected from deletion: ${done.length} of ${stacks.length - elsewhere.length} stacks${names}`);
  // Stacks that are named are of one account.
  if (!areNamed) for (const line of describeOthers(elsewhere)) console.log(line);
}
