/**
 * `npm run operate -- replay deliveries --reason "…" --stage prod --region af-south-1`: replays or discards failed work with
 * the caller's AWS credentials, without the API, so that it works when the API is down. Reads its settings from the deployed
 * function with the same task. `--local` operates the local run whose data is in `DATA_DIR`. `second-factor` sets up an operator's sign-in.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod/mini';
import { type CommandLine, failureNameOf, parseCommand, parseTime } from './operate/commands.ts';
import { signAsCaller } from './operate/credentials.ts';

/** The function whose settings most commands use. */
const FAILURES = 'operator-api-replayFailures';
/** The function with the settings of the user pool. */
const USERS = 'schedule-serveAccounts';
/** The first function with a setting determines its value. */
const RESTORING = [FAILURES, USERS, 'workflow-releaseDeployment', 'workflow-switchRelease'];

/** Returns the settings of functions of the platform. Outside of the local run, makes the runtime sign with the caller's credentials. */
async function readSettings(
  { local, stage, region = '' }: CommandLine['options'],
  functions: readonly string[],
): Promise<Record<string, string>> {
  if (local) {
    const file = process.env.LOCAL_JSON || join(process.env.DATA_DIR || '.local', 'local.json');
    if (!existsSync(file)) throw new Error(`There is no local run at ${file}: start it, or set its DATA_DIR.`);
    const { resolveLocalhostNames } = await import('../local/emulators/localhost-names.ts');
    resolveLocalhostNames();
    return (JSON.parse(readFileSync(file, 'utf8')) as { environment: Record<string, string> }).environment;
  }
  await signAsCaller(region);
  const client = new LambdaClient({ region });
  const settings = await Promise.all(
    functions.map(async (name) => {
      const FunctionName = `hosting-${stage}-${name}`;
      return (await client.send(new GetFunctionConfigurationCommand({ FunctionName }))).Environment?.Variables;
    }),
  );
  return { ...Object.assign({}, ...settings.reverse()), AWS_REGION: region };
}

/** Turns on a second factor for an operator, who enters the password and a code. */
async function turnOnSecondFactor(email: string, replace: boolean): Promise<unknown> {
  const { USER_POOL_ID: userPoolId = '', PUBLIC_URL = '' } = process.env;
  const [{ openConversation }, { setUpSecondFactor }] = await Promise.all([
    import('./operate/conversation.ts'),
    import('./operate/second-factor.ts'),
  ]);
  const conversation = openConversation(process.stdin, process.stderr);
  try {
    const options = { email, replace, userPoolId, issuer: new URL(PUBLIC_URL).hostname };
    return await setUpSecondFactor(options, conversation);
  } finally {
    conversation.close();
  }
}

async function run({ command, words: [word = '', ...words], options }: CommandLine): Promise<unknown> {
  const { reason = '' } = options;
  /** Sets the settings of functions in this process's environment. Modules that read them when they are imported are imported afterwards. */
  const apply = async (...functions: string[]) => Object.assign(process.env, await readSettings(options, functions));
  switch (command) {
    case 'list': {
      const name = word ? failureNameOf(word) : undefined;
      await apply(FAILURES);
      return await (await import('./operate/failures.ts')).list(name);
    }
    case 'replay':
    case 'discard': {
      const name = failureNameOf(word);
      await apply(FAILURES);
      return await (await import('./operate/failures.ts')).settle(command, { name, reason });
    }
    case 'restore': {
      const at = parseTime(options.at ?? '');
      await apply(...RESTORING);
      return await (await import('./operate/restore.ts')).restore({ at, as: options.as, reason });
    }
    case 'repair':
      await apply(...RESTORING);
      return await (await import('./operate/restore.ts')).repair({ reason });
    case 'restore-logins':
      await apply(...RESTORING);
      return await (await import('./operate/restore.ts')).restoreLogins({ reason });
    case 'move-app':
      await apply(FAILURES);
      return await (await import('./operate/move-app.ts')).moveApp({ id: word, cell: options.cell ?? '', reason });
    case 'flag': {
      await apply(FAILURES);
      const [{ operateFlags }, { deps }] = await Promise.all([
        import('./operate/flags.ts'),
        import('../runtime/deps.ts'),
      ]);
      return await operateFlags(deps, word ? [word, ...words] : [], options);
    }
    case 'hosting-servers': {
      await apply(FAILURES);
      const [{ listServers }, { deps }] = await Promise.all([
        import('../domain/hosting/servers.ts'),
        import('../runtime/deps.ts'),
      ]);
      return await listServers(deps);
    }
    case 'second-factor':
      await apply(USERS);
      return await turnOnSecondFactor(options.email ?? '', options.replace === true);
  }
}

/** Returns the message of an error for a person. For input that a schema refuses, it lists the problems. */
function messageOf(error: unknown): string {
  if (!(error instanceof z.core.$ZodError)) return error instanceof Error ? error.message : String(error);
  return error.issues.map(({ path, message }) => `${path.map(String).join('.') || 'input'}: ${message}`).join('\n');
}

try {
  console.log(JSON.stringify(await run(parseCommand(process.argv.slice(2))), null, 2));
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
