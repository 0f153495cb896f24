/**
 * `npm run deploy -- -c stage=prod …`: deploys all stacks with cdk, then protects those that exist from deletion. Takes cdk's
 * options and `--switch-table` (scripts/deploy/table.ts), and can be repeated after a failure (docs/decisions/0037-first-creation-and-secrets.md). Exit code: cdk's.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { protectedStacksOf, protectStacks } from './deploy/protection.ts';
import { assertSameTable } from './deploy/table.ts';
import { openClients } from './preflight/clients.ts';

/** The assembly that cdk writes. */
const ASSEMBLY = 'cdk.out';

// What an earlier run left must not be taken for this one's.
const MANIFEST = `${ASSEMBLY}/manifest.json`;
rmSync(MANIFEST, { force: true });
const { context = {} }: { context?: Record<string, unknown> } = JSON.parse(readFileSync('cdk.json', 'utf8'));
const args = await assertSameTable(process.argv.slice(2), context);
const { status } = spawnSync('cdk', ['deploy', '--all', '--output', ASSEMBLY, ...args], { stdio: 'inherit' });
process.exitCode = status ?? 1;
// Without one, the synthesis failed.
const stacks = existsSync(MANIFEST) ? protectedStacksOf(ASSEMBLY) : [];
const [first] = stacks;
if (first) {
  const done = await protectStacks(openClients({ region: first.region }), stacks);
  console.log(
    `Protected from deletion: ${done.length} of ${stacks.length} stacks${done.length > 0 ? ` (${done.join(', ')})` : ''}`,
  );
}
