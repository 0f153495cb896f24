import { createThrottle } from '../strict.ts';
import { ServiceError, type WireRequest, type WireResponse } from '../wire.ts';
import { arnOf, createFunction, type FunctionStore, functionOperations } from './function-operations.ts';
import { type Configuration, type LambdaFunction, notFound, resolveQualifier } from './functions.ts';
import { accountSettings, assertEventSize } from './limits.ts';
import { RECORD_OPERATIONS } from './record-operations.ts';
import { type Address, addressOf } from './requests.ts';
import { createStates } from './states.ts';

/** State and functions that all operations work on. */
export interface LambdaBackend extends FunctionStore {
  invoke(configuration: Configuration, payload: Buffer, tail: boolean): Promise<WireResponse>;
  /** Invokes a function of the platform. Returns undefined for any other name. */
  invokePlatformFunction(name: string, payload: string): Promise<WireResponse> | undefined;
}

/** Parts of a function that cannot be changed while an update is in progress. */
const UPDATED_PARTS = ['code', 'configuration', 'versions'];

/** Returns the handler of the AWS Lambda operations that app hosting uses, by method and path. */
export function lambdaOperations(backend: LambdaBackend): (request: WireRequest) => Promise<WireResponse> {
  const { functions, strict } = backend;
  const states = createStates(strict, functions);
  const throttle = createThrottle(strict, () => new ServiceError('TooManyRequestsException', 'Rate exceeded', 429));
  const operations = { ...RECORD_OPERATIONS, ...functionOperations(backend, states) };

  const find = (name: string): LambdaFunction => {
    const found = functions[name];
    if (!found) throw notFound(arnOf(backend, name));
    return found;
  };

  const invoke = (name: string, qualifier: string | undefined, request: WireRequest) => {
    const { headers, body } = request;
    assertEventSize(request);
    const invocation = backend.invokePlatformFunction(name, body.toString('utf8') || '{}');
    if (invocation && headers['x-amz-invocation-type'] === 'Event') return { status: 202, body: Buffer.alloc(0) };
    if (invocation) return invocation;
    return backend.invoke(resolveQualifier(find(name), qualifier), body, headers['x-amz-log-type'] === 'Tail');
  };

  /** Throws if management requests exceed their rate. Invocations have no rate; the function's concurrency limits them. */
  const limitRate = (method: string, { part, name }: Address): void => {
    if (part === 'invocations') return;
    throttle(method === 'GET' && part === '' && name ? 'lambdaGetFunctionRate' : 'lambdaControlPlaneRate');
  };

  /** Throws if the function, version or alias is not ready for an operation. */
  const assertReady = (method: string, { name, part, qualifier }: Address): void => {
    const found = functions[name];
    if (!found) return;
    if (part === 'url' || part === 'policy') states.assertPropagated(found, qualifier);
    if (method === 'GET' || method === 'DELETE') return;
    states.assertActive(found.latest);
    if (part === 'invocations') states.assertActive(resolveQualifier(found, qualifier));
    if (UPDATED_PARTS.includes(part)) states.assertUpdated(found.latest);
  };

  const dispatch = (request: WireRequest, address: Address): WireResponse | Promise<WireResponse> => {
    const { kind, name, qualifier, operation } = address;
    if (kind === 'account-settings') return { body: accountSettings(functions) };
    if (operation === 'POST ') return createFunction(backend, states, request);
    if (operation === 'POST invocations') return invoke(name, qualifier, request);
    if (operation === 'GET ' && !name) {
      return { body: { Functions: Object.values(functions).map(({ latest }) => latest) } };
    }
    const run = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
    if (run) return run(find(name), request, address);
    const message = `${request.method} ${request.path} is not supported by this emulator.`;
    throw new ServiceError('UnknownOperationException', message, 404);
  };

  return async (request) => {
    const { method } = request;
    const address = addressOf(request);
    limitRate(method, address);
    assertReady(method, address);
    const response = await dispatch(request, address);
    const { name, part } = address;
    if (method !== 'GET' && name && part !== 'invocations') backend.save(name);
    return response;
  };
}
