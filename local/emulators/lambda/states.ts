import { STRICT_TIMES } from '../strict.ts';
import { ServiceError } from '../wire.ts';
import { type Configuration, type LambdaFunction, notFound } from './functions.ts';

const conflict = (message: string) => new ServiceError('ResourceConflictException', message, 409);

export type States = ReturnType<typeof createStates>;

/** Tracks the intermediate states of functions, versions and aliases. Unless `strict`, every change completes immediately. */
export function createStates(strict: boolean | undefined, functions: Record<string, LambdaFunction>) {
  /** ARNs of new aliases that other operations do not know yet. */
  const unknownAliases = new Set<string>();
  const later = (milliseconds: number, change: () => void): void => {
    setTimeout(change, milliseconds).unref();
  };
  // Completes the changes that were in progress when the previous run ended.
  for (const { latest, versions } of Object.values(functions)) {
    for (const configuration of [latest, ...Object.values(versions)])
      Object.assign(configuration, { State: 'Active', LastUpdateStatus: 'Successful' });
  }

  return {
    /** Marks a new function or version as pending for a while. */
    created(configuration: Configuration): void {
      if (!strict || configuration.State === 'Pending') return;
      configuration.State = 'Pending';
      later(STRICT_TIMES.functionPending, () => {
        configuration.State = 'Active';
      });
    },
    /** Marks a function as being updated for a while, in which it refuses further updates. */
    updated(configuration: Configuration): void {
      if (!strict) return;
      configuration.LastUpdateStatus = 'InProgress';
      later(STRICT_TIMES.functionUpdating, () => {
        configuration.LastUpdateStatus = 'Successful';
      });
    },
    /** Hides a new alias from other operations for a while. */
    aliasCreated(arn: string): void {
      if (!strict) return;
      unknownAliases.add(arn);
      later(STRICT_TIMES.aliasPropagation, () => unknownAliases.delete(arn));
    },
    /** Throws if an operation names an alias that has not propagated yet. */
    assertPropagated({ latest }: LambdaFunction, qualifier: string | undefined): void {
      const arn = `${latest.FunctionArn}:${qualifier}`;
      if (unknownAliases.has(arn)) throw notFound(arn);
    },
    assertActive({ FunctionArn, State }: Configuration): void {
      if (State === 'Active') return;
      throw conflict(
        `The operation cannot be performed at this time. The function is currently in the following state: ${State}. Resource: ${FunctionArn}`,
      );
    },
    assertUpdated({ FunctionArn, LastUpdateStatus }: Configuration): void {
      if (LastUpdateStatus === 'Successful') return;
      throw conflict(
        `The operation cannot be performed at this time. An update is in progress for resource: ${FunctionArn}`,
      );
    },
  };
}
