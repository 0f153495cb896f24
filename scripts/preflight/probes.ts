import type { Clients } from './clients.ts';

/** Maximum attempts to use a new role, which other services see only after some seconds. */
const ROLE_ATTEMPTS = 20;
const NOT_YET = /cannot be assumed|not authorized to perform: sts:AssumeRole|role.*does not exist/i;

/** Repeats a call until the service knows the new role in it. */
export async function onceRoleIsKnown<T>({ pause }: Clients, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= ROLE_ATTEMPTS || !(error instanceof Error && NOT_YET.test(error.message))) throw error;
      await pause();
    }
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && /NoSuchEntity|ResourceNotFound|NotFoundException/.test(error.name);

/** Deletes a resource if it exists. */
export async function deleteIfPresent(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

const POLICY_NAME = 'preflight';

interface ThrowawayRole {
  name: string;
  /** The service that assumes the role. */
  service: string;
  /** Policy statements. Default: the role permits nothing. */
  statements?: object[];
}

/** Runs work with a throwaway role. Deletes the role afterwards, and before it, in case an interrupted preflight left it behind. */
export async function withRole<T>(clients: Clients, role: ThrowawayRole, work: () => Promise<T>): Promise<T> {
  const { name: RoleName, service, statements = [] } = role;
  const iam = (operation: string, input: Record<string, string> = {}) =>
    clients.query('iam', 'us-east-1', operation, { RoleName, ...input });
  const policy = (Statement: object[]): string => JSON.stringify({ Version: '2012-10-17', Statement });
  const remove = async () => {
    await deleteIfPresent(() => iam('DeleteRolePolicy', { PolicyName: POLICY_NAME }));
    await deleteIfPresent(() => iam('DeleteRole'));
  };
  await remove();
  try {
    await iam('CreateRole', {
      Description: 'Throwaway of npm run preflight, safe to delete',
      AssumeRolePolicyDocument: policy([
        { Effect: 'Allow', Principal: { Service: service }, Action: 'sts:AssumeRole' },
      ]),
    });
    if (statements.length > 0) {
      await iam('PutRolePolicy', { PolicyName: POLICY_NAME, PolicyDocument: policy(statements) });
    }
    return await work();
  } finally {
    await remove();
  }
}
