import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { REGION } from '../addresses.ts';
import { type CallOptions, call, WireError } from '../engines/wire.ts';
import { arnIn } from '../iam/operations/operation.ts';
import type { Principal } from '../iam/principals.ts';
import type { Lambda } from '../lambda/lambda.ts';
import { FunctionError } from '../lambda/pool.ts';
import { isObject, type Json, type JsonObject } from '../template/intrinsics.ts';

/** Services that Task states use. */
export interface TaskPort {
  lambda: Pick<Lambda, 'invoke'>;
  codeBuildUrl: string;
  /** The role that the state machine acts with. Undefined: the administrator. */
  principal?: Principal | undefined;
}

/** Identifies a task of an execution. */
export interface TaskRun {
  /** The same for every attempt of this state in this execution. */
  token: string;
  /** True if the execution continues after a restart. */
  resumed: boolean;
  /** Aborts with the execution. */
  signal: AbortSignal;
}

/** A failed task: `name` is the error that Retry and Catch compare, `message` is the cause. */
class TaskError extends Error {
  constructor(name: string, cause: string) {
    super(cause);
    this.name = name;
  }
}

const POLL = 25;

/**
 * Changes the case of field names: Step Functions capitalizes the fields of an integration, the called services do not.
 */
function changeCase(value: Json, letter: (first: string) => string): Json {
  if (Array.isArray(value)) return value.map((item) => changeCase(item, letter));
  if (!isObject(value)) return value;
  const converted: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    converted[letter(key.charAt(0)) + key.slice(1)] = changeCase(item, letter);
  }
  return converted;
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
  const answer = await invokeFunction(String(FunctionName), Payload, port);
  return { ExecutedVersion: '$LATEST', Payload: answer, StatusCode: 200 };
}

/** The rule by which Step Functions learns of a build's end, which it puts with the state machine's rights. */
const BUILD_RULE = arnIn(REGION)('events', 'rule/StepFunctionsGetEventForCodeBuildStartBuildRule');

/** Starts a build and waits for its end, as `codebuild:startBuild.sync` does. */
async function build(input: Json, { codeBuildUrl, principal }: TaskPort, run: TaskRun): Promise<Json> {
  const putRule = ['events:PutTargets', 'events:PutRule', 'events:DescribeRule'];
  const denial = principal?.refuse(putRule.map((action) => ({ action, resource: BUILD_RULE })));
  if (denial) throw new TaskError('CodeBuild.AccessDeniedException', denial.message);
  const signed: CallOptions = { region: REGION, credentials: principal?.credentials };
  const asked = changeCase(input, (first) => first.toLowerCase());
  const parameters = isObject(asked) ? asked : {};
  const start = async (idempotencyToken: string): Promise<JsonObject> => {
    const body = { ...parameters, idempotencyToken };
    const started = await call(codeBuildUrl, 'codebuild', 'StartBuild', body, signed).catch((error: unknown) => {
      // Step Functions puts the service's name before that of its error; a connection's own errors stay as they are.
      throw error instanceof WireError ? new TaskError(`CodeBuild.${error.name}`, error.message) : error;
    });
    return isObject(started.build) ? started.build : {};
  };
  // A state that is entered again with other parameters starts another build.
  const token = createHash('sha256').update(run.token).update(JSON.stringify(parameters)).digest('hex');
  let found = await start(token);
  // The previous run ended during the build. That is a fault of this machine and not of the build, so it is repeated.
  if (run.resumed && found.buildStatus === 'FAULT')
    found = await start(createHash('sha256').update(token).digest('hex'));
  const stop = (): void => {
    call(codeBuildUrl, 'codebuild', 'StopBuild', { id: found.id }, signed).catch(() => {});
  };
  run.signal.addEventListener('abort', stop, { once: true });
  try {
    while (found.buildComplete !== true) {
      await sleep(POLL, undefined, { signal: run.signal });
      const { builds } = await call(codeBuildUrl, 'codebuild', 'BatchGetBuilds', { ids: [found.id] }, signed);
      const [current] = Array.isArray(builds) ? builds : [];
      if (!isObject(current)) throw new TaskError('States.TaskFailed', `the build ${found.id} is gone`);
      found = current;
    }
  } finally {
    run.signal.removeEventListener('abort', stop);
  }
  const output = { Build: changeCase(found, (first) => first.toUpperCase()) };
  if (found.buildStatus !== 'SUCCEEDED') throw new TaskError('States.TaskFailed', JSON.stringify(output.Build));
  return output;
}

/** Runs the resource of a Task state. Throws an error whose name Retry and Catch compare. */
export async function runTask(resource: string, input: Json, port: TaskPort, run: TaskRun): Promise<Json> {
  if (resource.startsWith('arn:aws:lambda:')) return invokeFunction(resource, input, port);
  const integration = resource.split(':states:::')[1];
  if (integration === 'lambda:invoke') return invokeByParameters(input, port);
  if (integration === 'codebuild:startBuild.sync') return build(input, port, run);
  throw new TaskError('States.Runtime', `The local run does not support the integration ${resource}`);
}
