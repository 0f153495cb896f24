import { STRICT_TIMES } from '../strict.ts';
import { ServiceError } from '../wire.ts';
import { type Configuration, type LambdaFunction, notFound } from './functions.ts';

const conflict = (message: string) => new ServiceError('ResourceConflictException', message, 409);

/** The intermediate states of functions, versions and aliases. Without `strict` every change is complete at once. */
export function createStates(strict: boolean | undefined, functions: Record<string, LambdaFunction>) {
  /** Aliases, by ARN, that other operations do not know yet. */
  const unknownAliases = new Set<string>();
  const later = (milliseconds: number, change: () => void): void => {
    setTimeout(change, milliseconds).unref();
  };
  // A state of the run before ended with it.
  for (const { latest, versions } of Object.values(functions)) {
    for (const each of [latest, ...Object.values(versions)])
      Object.assign(each, { State: 'Active', LastUpdateStatus: 'Successful' });
  }

  return {
    /** A new function or version cannot be used at once. */
    created(configuration: Configuration): void {
      if (!strict || configuration.State === 'Pending') return;
      configuration.State = 'Pending';
      later(STRICT_TIMES.functionPending, () => {
        configuration.State = 'Active';
      });
    },
    /** A changed function takes no further change at once. */
    updated(configuration: Configuration): void {
      if (!strict) return;
      configuration.LastUpdateStatus = 'InProgress';
      later(STRICT_TIMES.functionUpdating, () => {
        configuration.LastUpdateStatus = 'Successful';
      });
    },
    aliased(arn: string): void {
      if (!strict) return;
      unknownAliases.add(arn);
      later(STRICT_TIMES.aliasPropagation, () => unknownAliases.delete(arn));
    },
    /** Refuses an operation that names an alias as long as only its creation knows it. */
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
