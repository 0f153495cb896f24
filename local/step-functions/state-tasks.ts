import type { Principal } from '../iam/principals.ts';
import { FunctionError } from '../lambda/invocations.ts';
import type { Lambda } from '../lambda/lambda.ts';
import { isObject, type Json } from '../template/intrinsics.ts';

/** The services that Task states use. */
export interface TaskPort {
  lambda: Pick<Lambda, 'invoke'>;
  /** The principal of the state machine's role. Default: the administrator. */
  principal?: Principal | undefined;
}

/** Thrown for a failed task. `name` is the error that Retry and Catch match, `message` is the cause. */
class TaskError extends Error {
  constructor(name: string, cause: string) {
    super(cause);
    this.name = name;
  }
}

async function invokeFunction(functionArn: string, input: Json, { lambda, principal }: TaskPort): Promise<Json> {
  const denial = principal?.refuse([{ action: 'lambda:InvokeFunction', resource: functionArn }]);
  if (denial) throw new TaskError('Lambda.AWSLambdaException', denial.message);
  try {
    return await lambda.invoke(functionArn, input);
  } catch (error) {
    if (error instanceof FunctionError) throw new TaskError(error.name, JSON.stringify(error.fault));
    throw error;
  }
}

async function invokeByParameters(input: Json, port: TaskPort): Promise<Json> {
  const { FunctionName = '', Payload = {} } = isObject(input) ? input : {};
  const result = await invokeFunction(String(FunctionName), Payload, port);
  return { ExecutedVersion: '$LATEST', Payload: result, StatusCode: 200 };
}

/** Runs the resource of a Task state. Throws an error whose name Retry and Catch match. */
export async function runTask(resource: string, input: Json, port: TaskPort): Promise<Json> {
  if (resource.startsWith('arn:aws:lambda:')) return invokeFunction(resource, input, port);
  const integration = resource.split(':states:::')[1];
  if (integration === 'lambda:invoke') return invokeByParameters(input, port);
  throw new TaskError('States.Runtime', `The local run does not support the integration ${resource}`);
}
