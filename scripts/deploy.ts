/**
 * `npm run deploy -- -c stage=prod …`: deploys all stacks with cdk, then protects the existing ones from deletion. Accepts cdk's options and
 * `--switch-table` (scripts/deploy/table.ts), and before them the names of individual stacks (`-- hosting-prod-edge -c …`). It can be
 * repeated after a failure (docs/decisions/0037-first-creation-and-secrets.md). Exit code: cdk's, or 1 if nothing is protected.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { isProtectedStage } from '../lib/config.ts';
import { type DeployedStack, describeOthers, protectedStacksOf, protectStacks } from './deploy/protection.ts';
import { assertSameTable, contextOf, profileOf } from './deploy/table.ts';
import { openClients } from './preflight/clients.ts';

/** The assembly that cdk writes. */
const ASSEMBLY = 'cdk.out';

// Removes the manifest of an earlier run, so that it is not mistaken for this one's.
const MANIFEST = `${ASSEMBLY}/manifest.json`;
rmSync(MANIFEST, { force: true });
const { context = {} }: { context?: Record<string, unknown> } = JSON.parse(readFileSync('cdk.json', 'utf8'));
const profile = profileOf(process.argv.slice(2));
// The checks before and after use the same credentials as cdk.
if (profile !== undefined) process.env.AWS_PROFILE = profile;
const args = await assertSameTable(process.argv.slice(2), context);
const areNamed = args.length > 0 && !args[0]?.startsWith('-');
const { status } = spawnSync('cdk', ['deploy', ...(areNamed ? [] : ['--all']), '--output', ASSEMBLY, ...args], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
// Without a manifest, the synthesis has failed.
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
  // Stacks that are named on the command line are in one account.
  if (!areNamed) for (const line of describeOthers(elsewhere)) console.log(line);
}
