import type { Clients } from './clients.ts';

/** Attempts to use a role that has just been created, which other services see only after some seconds. */
const ROLE_ATTEMPTS = 20;
const NOT_YET = /cannot be assumed|not authorized to perform: sts:AssumeRole|role.*does not exist/i;

/** Repeats a call until the new role that it names has reached the service. */
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

/** Deletes a resource, or does nothing where it does not exist. */
export async function deleteIfPresent(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/**
 * Runs work with a role that a service can assume and that permits nothing, and deletes the role afterwards, and one
 * that an interrupted preflight left.
 */
export async function withRole<T>(clients: Clients, name: string, service: string, work: () => Promise<T>): Promise<T> {
  const remove = () => deleteIfPresent(() => clients.query('iam', 'us-east-1', 'DeleteRole', { RoleName: name }));
  await remove();
  const statement = { Effect: 'Allow', Principal: { Service: service }, Action: 'sts:AssumeRole' };
  await clients.query('iam', 'us-east-1', 'CreateRole', {
    RoleName: name,
    Description: 'Throwaway of npm run preflight: permits nothing, and is safe to delete',
    AssumeRolePolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement: [statement] }),
  });
  try {
    return await work();
  } finally {
    await remove();
  }
}
