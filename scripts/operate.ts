/**
 * `npm run operate -- replay deliveries --reason "…" --stage prod --region af-south-1`: replays or discards failed work with
 * the caller's AWS credentials, without the API: for when the API itself is down. The settings are those of the deployed
 * function with the same task. `--local` works on the local run whose data is in `DATA_DIR`. `second-factor` is for the operators' own sign-in.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { FAILURE_NAMES } from '../contract/operator/failures.ts';
import { signAsCaller } from './operate/credentials.ts';

const USAGE = `usage:
  npm run operate -- list|replay|discard [${FAILURE_NAMES.join('|')}] --reason "…" (--stage prod --region af-south-1 | --local)
  npm run operate -- restore --at 2026-11-23T10:00:00Z [--as name] --reason "…" (--stage prod --region af-south-1 | --local)
  npm run operate -- move-app app_… --cell b --reason "…" (--stage prod --region af-south-1 | --local)
  npm run operate -- repair --reason "…" (--stage prod --region af-south-1 | --local)
  npm run operate -- flag list|set|end [name] [--share 50 | --account acc_… --on true|false] [--owner name] [--ends 2027-06-30] --reason "…" (--stage prod --region af-south-1 | --local)
  npm run operate -- restore-logins --reason "…" (--stage prod --region af-south-1 | --local)
  npm run operate -- second-factor --email operator@example.com [--replace] --stage prod --region af-south-1`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    reason: { type: 'string' },
    at: { type: 'string' },
    as: { type: 'string' },
    cell: { type: 'string' },
    stage: { type: 'string' },
    region: { type: 'string' },
    local: { type: 'boolean' },
    ...{ share: { type: 'string' }, account: { type: 'string' }, on: { type: 'string' } },
    ...{ owner: { type: 'string' }, ends: { type: 'string' } },
    ...{ email: { type: 'string' }, replace: { type: 'boolean' } },
  },
});
const [command = '', given] = positionals;
const name = FAILURE_NAMES.find((each) => each === given);
const { reason, stage, region } = values;

/** Functions that have the settings of these commands: the first is for all, the others are for restoring. */
const SETTINGS_OF = ['operator-api-replayFailures', 'schedule-serveAccounts', 'workflow-releaseDeployment'];

/** Returns the settings of the platform's functions, and has the caller's credentials used. */
async function readSettings(functions: readonly string[]): Promise<Record<string, string>> {
  if (values.local) {
    const file = process.env.LOCAL_JSON ?? join(process.env.DATA_DIR ?? '.local', 'local.json');
    return (JSON.parse(readFileSync(file, 'utf8')) as { environment: Record<string, string> }).environment;
  }
  if (stage === undefined || region === undefined) throw new Error(USAGE);
  await signAsCaller(region);
  const client = new LambdaClient({ region });
  const settings = await Promise.all(
    functions.map(async (each) => {
      const FunctionName = `hosting-${stage}-${each}`;
      return (await client.send(new GetFunctionConfigurationCommand({ FunctionName }))).Environment?.Variables;
    }),
  );
  return { ...Object.assign({}, ...settings.reverse()), AWS_REGION: region };
}

/** Makes the settings of the platform's functions this process's own. What reads them as it is imported is imported afterwards. */
async function applySettings(functions = SETTINGS_OF.slice(0, 1)): Promise<Record<string, string>> {
  return Object.assign(process.env, await readSettings(functions));
}

/** Turns on a second factor for an operator, who types the password and a code. */
async function turnOnSecondFactor(email: string): Promise<unknown> {
  // Of the functions that know the user pool.
  const { USER_POOL_ID: userPoolId = '', PUBLIC_URL = '' } = await applySettings(SETTINGS_OF.slice(1, 2));
  const [{ openConversation }, { setUpSecondFactor }] = await Promise.all([
    import('./operate/conversation.ts'),
    import('./operate/second-factor.ts'),
  ]);
  const conversation = openConversation(process.stdin, process.stderr);
  try {
    const options = { email, replace: values.replace === true, userPoolId, issuer: new URL(PUBLIC_URL).hostname };
    return await setUpSecondFactor(options, conversation);
  } finally {
    conversation.close();
  }
}

async function run(): Promise<unknown> {
  const restores = (command === 'restore' && values.at) || command === 'repair' || command === 'restore-logins';
  if (restores && reason) {
    await applySettings(SETTINGS_OF);
    const { repair, restore, restoreLogins } = await import('./operate/restore.ts');
    if (command === 'restore-logins') return await restoreLogins({ reason });
    if (command === 'repair') return await repair({ reason });
    return await restore({ at: new Date(values.at ?? ''), as: values.as, reason });
  }
  if (command === 'move-app' && given && values.cell && reason) {
    await applySettings();
    const { moveApp } = await import('./operate/move-app.ts');
    return await moveApp({ id: given, cell: values.cell, reason });
  }
  if (command === 'flag') {
    await applySettings();
    const { operateFlags } = await import('./operate/flags.ts');
    const { operatorDeps } = await import('../runtime/deps.ts');
    return await operateFlags(operatorDeps, positionals.slice(1), values);
  }
  if (command === 'second-factor' && values.email && !values.local) return await turnOnSecondFactor(values.email);
  const acts = command === 'replay' || command === 'discard';
  if (!(command === 'list' || (acts && name && reason))) throw new Error(USAGE);
  await applySettings();
  // Reads its settings as it is imported.
  const [{ discardFailures, listFailures, readFailures, replayFailures }, { operatorDeps }, bindings] =
    await Promise.all([
      import('../domain/operator/failures.ts'),
      import('../runtime/deps.ts'),
      Promise.all([
        import('../runtime/bindings/failures.ts'),
        import('../runtime/bindings/delivery-queue.ts'),
        import('../runtime/bindings/job-queues.ts'),
        import('../runtime/bindings/zone-sync-queue.ts'),
        import('../runtime/bindings/replays.ts'),
      ]),
    ]);
  const [{ failureQueues }, { deliveryQueue: queue }, { jobQueues: jobs }, { zoneSyncQueue }, { replays }] = bindings;
  const deps = { ...operatorDeps, failureQueues, queue, jobs, zoneSyncQueue, replays };
  const caller = { accountId: '', keyId: '' };
  if (!name) return await listFailures(deps);
  if (command === 'list') return await readFailures(deps, caller, { name });
  const act = command === 'replay' ? replayFailures : discardFailures;
  return await act(deps, caller, { name, reason: reason ?? '' });
}

try {
  console.log(JSON.stringify(await run(), null, 2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
