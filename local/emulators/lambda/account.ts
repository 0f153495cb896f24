import { homedir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import type { Children } from '../../processes/children.ts';
import { nodeBinary } from '../../runtimes/node-binary.ts';
import { machinePath, networkEnvironment } from '../machine.ts';
import { openRecords } from '../records.ts';
import { type EmulatorOptions, ServiceError, type WireResponse } from '../wire.ts';
import { lambdaOperations } from './api.ts';
import { openAppLog } from './app-log.ts';
import { type AppProcess, startApp } from './app-process.ts';
import { createAppProcesses, type IdleLimits, type Runnable } from './app-processes.ts';
import { type AppRequest, openAppRequests } from './app-requests.ts';
import { openCodeStore } from './code-store.ts';
import { indexUrls } from './function-urls.ts';
import { type Configuration, LambdaFunction } from './functions.ts';
import { invokeApp } from './invoke.ts';
import { assertUploadSize } from './limits.ts';
import type { CodeSource } from './requests.ts';
import { openSandboxes } from './sandbox.ts';

export interface LambdaAccountOptions extends Pick<EmulatorOptions, 'dataDir' | 'strict'> {
  children: Children;
  region: string;
  accountId: string;
  /** Base URL of S3, which stores the archives. */
  s3Url: string;
  /** Variables that Lambda provides to every function: region, endpoints. */
  environment: Record<string, string>;
  /** Returns the variables with the credentials of a function's role. */
  credentials?: (role: string, functionArn: string) => Record<string, string>;
  /** Milliseconds after which an application that does not listen yet is restarted once. Default: Lambda's 10,000. */
  initMs?: number;
  idle?: IdleLimits;
}

/** Invokes a function of the platform. Returns undefined for any other name. Rejects with the function's error. */
export type InvokePlatformFunction = (name: string, payload: string) => Promise<string> | undefined;

/** Name of the functions' records in an account's directory. */
export const FUNCTIONS = 'app-host';

const IDLE: IdleLimits = { servingMs: 15 * 60_000, otherMs: 5_000 };

/** Opens the functions of one AWS account with their code, processes, logs and limits. */
export function openLambdaAccount(options: LambdaAccountOptions, invokePlatformFunction: InvokePlatformFunction) {
  const { dataDir, region, accountId, children } = options;
  const records = openRecords(join(dataDir, FUNCTIONS), LambdaFunction);
  const functions = records.value;
  const code = openCodeStore(dataDir);
  const sandboxes = openSandboxes(dataDir, [process.execPath, import.meta.dirname]);
  const processes = createAppProcesses(options.idle ?? IDLE);
  const requests = openAppRequests(dataDir);

  const load = async ({ S3Bucket, S3Key, ZipFile }: CodeSource, layers: number) => {
    if (ZipFile !== undefined) {
      const archive = Buffer.from(ZipFile, 'base64');
      assertUploadSize(archive.length);
      return code.add(archive, layers);
    }
    if (S3Bucket === undefined || S3Key === undefined) throw invalid('Please provide a source for function code.');
    const path = S3Key.split('/').map(encodeURIComponent).join('/');
    const response = await fetch(`${options.s3Url}/${S3Bucket}/${path}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status === 200) return code.add(bytes, layers);
    const reason = /<Code>([^<]+)/.exec(bytes.toString('utf8'))?.[1] ?? response.status;
    throw invalid(`Error occurred while GetObject. S3 Error Code: ${reason}.`);
  };

  const removeUnusedCode = (): void => {
    const inUse = Object.values(functions).flatMap(({ latest, versions }) => [latest, ...Object.values(versions)]);
    code.removeUnused(inUse.map(({ CodeSha256 }) => CodeSha256));
  };

  const toRunnable = (configuration: Configuration): Runnable => {
    const { FunctionName, Version, RevisionId } = configuration;
    return {
      // $LATEST is mutable, so its revision identifies the code and settings.
      key: `${FunctionName}:${Version}${Version === '$LATEST' ? `:${RevisionId}` : ''}`,
      serving: () =>
        Object.values(functions[FunctionName]?.aliases ?? {}).some((alias) => alias.FunctionVersion === Version),
      start: () => start(configuration),
    };
  };

  const start = async (configuration: Configuration): Promise<AppProcess> => {
    const { FunctionName, FunctionArn, Role, Handler, Runtime, Timeout, MemorySize } = configuration;
    const node = nodeBinary(Runtime.replace(/^nodejs|\.x$/g, ''));
    const directory = await code.directory(configuration.CodeSha256);
    return startApp({
      children,
      label: FunctionName,
      directory,
      sandbox: () => sandboxes.create(directory, Handler),
      environment: {
        ...machine(node),
        ...options.environment,
        ...options.credentials?.(Role, FunctionArn),
        ...lambdaEnvironment(configuration, directory, region),
      },
      openLog: () => openAppLog(dataDir, FunctionName, configuration.Version),
      initMs: options.initMs ?? 10_000,
      timeoutMs: Timeout * 1000,
      memoryMb: MemorySize,
    });
  };

  const operations = lambdaOperations({
    invokePlatformFunction: (name, payload) => {
      const result = invokePlatformFunction(name, payload);
      return result && toResponse(result);
    },
    functions,
    region,
    accountId,
    strict: options.strict,
    load,
    invoke: (configuration, payload, tail) =>
      invokeApp(processes, toRunnable(configuration), configuration, payload, tail),
    save(name) {
      records.save(name);
      urls.update(name);
      if (functions[name]) {
        removeUnusedCode();
        return;
      }
      requests.remove(name);
      // The processes of a deleted function end immediately. Its code is removed afterwards.
      void processes.stop(`${name}:`).then(removeUnusedCode);
    },
  });
  const urls = indexUrls(functions);
  removeUnusedCode();

  /** Number of concurrent requests, by function. */
  const running = new Map<string, number>();
  /**
   * Runs a request and passes the function's number of concurrent requests. Returns false, without running it, if the function's
   * reserved concurrency is used up.
   */
  const withinConcurrency = async (
    FunctionName: string,
    run: (concurrent: number) => Promise<void>,
  ): Promise<boolean> => {
    const others = running.get(FunctionName) ?? 0;
    if (others >= (functions[FunctionName]?.reservedConcurrency ?? Number.POSITIVE_INFINITY)) return false;
    running.set(FunctionName, others + 1);
    try {
      await run(others + 1);
      return true;
    } finally {
      const remaining = (running.get(FunctionName) ?? 1) - 1;
      if (remaining > 0) running.set(FunctionName, remaining);
      else running.delete(FunctionName);
    }
  };

  return {
    operations,
    /** Returns the version that a public function URL invokes. */
    findConfiguration: urls.find,
    withinConcurrency,
    use: (configuration: Configuration, run: (app: AppProcess, cold: boolean) => Promise<void>) =>
      processes.use(toRunnable(configuration), run),
    /** Records a request, unless its function has been deleted meanwhile. */
    record(FunctionName: string, measured: Partial<AppRequest>): void {
      if (!functions[FunctionName]) return;
      const defaults = { status: 0, durationMs: 0, concurrent: 0, initMs: 0, memoryMb: 0, throttled: false };
      requests.record(FunctionName, { ...defaults, ...measured, at: Date.now() });
    },
    async stop() {
      await processes.close();
      requests.close();
    },
  };
}

export type LambdaAccount = ReturnType<typeof openLambdaAccount>;

/** Returns the response to an invocation. As in Lambda, a function error is a successful response. */
const toResponse = async (result: Promise<string>): Promise<WireResponse> => {
  try {
    return { body: JSON.parse((await result) || 'null') };
  } catch (error) {
    const { name: errorType, message: errorMessage } = error as Error;
    return { headers: { 'x-amz-function-error': 'Unhandled' }, body: { errorType, errorMessage } };
  }
};

const invalid = (message: string) => new ServiceError('InvalidParameterValueException', message);

/** Directory of programs that replace the machine's package managers and fail. */
const NO_PACKAGE_MANAGER = join(import.meta.dirname, 'no-package-manager');
/** Returns true if a directory is not in the user's home directory. Lambda has no programs of users. */
const isSystemDirectory = (directory: string): boolean =>
  homedir() === '/' || relative(homedir(), directory).startsWith('..');

const machine = (node: string): Record<string, string> => ({
  ...networkEnvironment(),
  PATH: [NO_PACKAGE_MANAGER, dirname(node), ...machinePath().filter(isSystemDirectory)].join(delimiter),
  NODE_OPTIONS: `--require=${JSON.stringify(join(import.meta.dirname, '../loopback-only.cjs'))}`,
  TZ: ':UTC',
});

/** Returns the variables that Lambda sets for a function, and those of the function's configuration. */
const lambdaEnvironment = (
  configuration: Configuration,
  directory: string,
  region: string,
): Record<string, string> => ({
  AWS_REGION: region,
  AWS_DEFAULT_REGION: region,
  AWS_LAMBDA_FUNCTION_NAME: configuration.FunctionName,
  AWS_LAMBDA_FUNCTION_VERSION: configuration.Version,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(configuration.MemorySize),
  LAMBDA_TASK_ROOT: directory,
  _HANDLER: configuration.Handler,
  ...configuration.Environment.Variables,
});
