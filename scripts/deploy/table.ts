import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';

/** Lets a deployment change the table in use. */
const SWITCH_TABLE = '--switch-table';

/** Returns cdk's context: the values of cdk.json, overridden by those of the command line. */
export function contextOf(args: readonly string[], file: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = args.flatMap((arg, index) => {
    const [, joined] = /^(?:--context|-c)=(.+)$/.exec(arg) ?? [];
    const pair = joined ?? (['-c', '--context'].includes(args[index - 1] ?? '') ? arg : undefined);
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair ?? '') ?? [];
    return name === undefined ? [] : [[name, value ?? ''] as const];
  });
  const defaults = Object.entries(file).map(([name, value]) => [name, String(value)] as const);
  return Object.fromEntries([...defaults, ...given]);
}

/** Returns the AWS profile in cdk's arguments, if any. */
export function profileOf(args: readonly string[]): string | undefined {
  const index = args.findLastIndex((arg) => /^--profile(=|$)/.test(arg));
  return args[index]?.split('=')[1] ?? (index < 0 ? undefined : args[index + 1]);
}

/** Returns the table that an installation uses; undefined before its first deployment. */
async function tableInUse(region: string, stage: string): Promise<string | undefined> {
  const FunctionName = `hosting-${stage}-schedule-migrate`;
  try {
    const { Environment } = await new LambdaClient({ region }).send(
      new GetFunctionConfigurationCommand({ FunctionName }),
    );
    return Environment?.Variables?.TABLE_NAME;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

/**
 * Returns the arguments for cdk. Throws if the deployment would change the table in use without `--switch-table`: an omitted setting
 * must not return an installation to the table from before a restore (docs/runbook.md#restore).
 */
export async function assertSameTable(
  args: readonly string[],
  file: Readonly<Record<string, unknown>>,
  inUse: typeof tableInUse = tableInUse,
): Promise<string[]> {
  const others = args.filter((arg) => arg !== SWITCH_TABLE);
  if (others.length < args.length) return others;
  const { stage = 'dev', region = 'af-south-1', table = `hosting-${stage}` } = contextOf(args, file);
  const used = await inUse(region, stage);
  if (used !== undefined && used !== table)
    throw new Error(
      `The installation uses the table ${used}, and this deployment would change to ${table}. ` +
        `Give -c table=${used} with its -c tableStream=…, or ${SWITCH_TABLE} where the change is meant.`,
    );
  return others;
}
