import {
  AddPermissionCommand,
  CreateAliasCommand,
  CreateFunctionUrlConfigCommand,
  DeleteFunctionCommand,
  type FunctionConfiguration,
  GetAliasCommand,
  GetFunctionCommand,
  GetFunctionUrlConfigCommand,
  InvokeCommand,
  type LambdaClient,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda';
import * as z from 'zod/mini';
import { parseJson } from '../../contract/json.ts';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { memoize } from '../../contract/memoize.ts';
import { tolerate } from '../aws-errors.ts';
import { checkRequest, parseStatus } from './check-request.ts';
import { type AppHostSettings, type Artifact, createPublisher, type HostedApp } from './publishing.ts';
import {
  isBusy,
  isCodeReplaced,
  isExisting,
  isMissing,
  isRuntimeRetired,
  isServing,
  isThrottled,
  MISSING,
  observeThrottling,
} from './refusals.ts';
import { HostThrottled, LIVE_ALIAS, RuntimeRetired } from './resources.ts';

/** The payload of an invocation that failed. */
const FunctionError = memoize(() => z.catch(z.object({ errorMessage: z.optional(z.string()) }), {}));

/** The response of a release to its health check. */
export interface HealthCheck {
  /** The HTTP status of the path; undefined when the process did not answer at all. */
  status: number | undefined;
  /** The host's message if the process did not answer. */
  error: string | undefined;
  /** The end of the process's output. */
  output: string;
}

/** Runs applications. A release is immutable; {@link AppHost.switchTo} chooses the release that receives traffic. */
export interface AppHost {
  /**
   * Creates a release from an artifact and returns its number.
   * @param onThrottled called each time that the host throttles a request, before the request is retried
   * @throws {HostThrottled} if the host also throttled all retries
   */
  release(app: HostedApp, artifact: Artifact, onThrottled?: () => void): Promise<string>;
  /** Returns the Node version of a release; undefined if the release does not exist. */
  nodeVersionOf(applicationId: string, release: string): Promise<string | undefined>;
  /** Requests a path of a release, also while the release receives no traffic. */
  probe(applicationId: string, release: string, path: string): Promise<HealthCheck>;
  /** Sends all traffic to a release and returns the host name of the application. */
  switchTo(applicationId: string, release: string): Promise<string>;
  /** Returns the release that receives traffic; undefined if there is none or the application is unknown. */
  serving(applicationId: string): Promise<string | undefined>;
  hasRelease(applicationId: string, release: string): Promise<boolean>;
  /** Deletes a release. A missing release is not an error. @returns false if the release is kept because it receives traffic */
  removeRelease(applicationId: string, release: string): Promise<boolean>;
  /** Deletes all releases of an application. A missing application is not an error. */
  remove(applicationId: string): Promise<void>;
}

/**
 * A release starts over within this time if another release changes its function, in milliseconds. The limit lets the step end before
 * its own timeout.
 */
const MAX_RESTART_MS =
  (TIMEOUTS_S.release.release - 4 * TIMEOUTS_S.release.update - TIMEOUTS_S.release.throttling) * 1000;
/** Maximum wait until a new alias has propagated in Lambda, in milliseconds, and the pause between two attempts. */
const MAX_PROPAGATION_MS = TIMEOUTS_S.release.propagation * 1000;
const PROPAGATION_PAUSE_MS = 250;
/**
 * Attempts of each call. Lambda accepts 15 changes a second in a whole account, and a release makes about ten: concurrent releases wait
 * for one another, for about a minute at most.
 */
export const APP_HOST_ATTEMPTS = 10;

/**
 * Lambda implementation: one function for each application, with the Lambda Web Adapter. A release is a published version, the alias
 * `live` sends traffic to one version, and the edge forwards to the alias's function URL.
 */
export function createAppHost(client: LambdaClient, settings: AppHostSettings): AppHost {
  const nameOf = (applicationId: string) => settings.prefix + applicationId;
  const publish = createPublisher(client, settings);
  const onThrottledAttempt = observeThrottling(client);
  /** Retries a call about a newly created alias until the alias has propagated in Lambda. */
  async function retryUntilPropagated<T>(call: () => Promise<T>): Promise<T> {
    const deadline = Date.now() + MAX_PROPAGATION_MS;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!isMissing(error) || Date.now() > deadline) throw error;
        await new Promise((done) => setTimeout(done, PROPAGATION_PAUSE_MS));
      }
    }
  }

  /** Repeats work that creates what is missing, if it exists by now: the repetition finds it. */
  const orFindExisting = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error: unknown) => {
      if (!isExisting(error)) throw error;
      return work();
    });

  /** Returns the live alias; undefined before the first release. */
  async function findLiveAlias(FunctionName: string) {
    return await tolerate(client.send(new GetAliasCommand({ FunctionName, Name: LIVE_ALIAS })), MISSING);
  }

  /** Points the live alias to a version, and creates the alias if it is missing. */
  async function pointLiveAlias(FunctionName: string, FunctionVersion: string): Promise<void> {
    const alias = await findLiveAlias(FunctionName);
    const target = { FunctionName, Name: LIVE_ALIAS, FunctionVersion };
    if (!alias) await client.send(new CreateAliasCommand(target));
    else if (alias.FunctionVersion !== FunctionVersion) {
      await client.send(new UpdateAliasCommand({ ...target, RevisionId: alias.RevisionId }));
    }
  }

  /**
   * Returns the alias's function URL and creates it if it is missing. The URL is public, because the edge cannot sign requests of
   * visitors (docs/decisions/0001-edge-distributions.md).
   */
  async function ensureFunctionUrl(FunctionName: string): Promise<string> {
    const alias = { FunctionName, Qualifier: LIVE_ALIAS };
    const found = await tolerate(client.send(new GetFunctionUrlConfigCommand(alias)), MISSING);
    if (found) return found.FunctionUrl ?? '';
    const anyone = { ...alias, Principal: '*' };
    const permissions = [
      { StatementId: 'url', Action: 'lambda:InvokeFunctionUrl', FunctionUrlAuthType: 'NONE' as const },
      { StatementId: 'url-invoke', Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true },
    ];
    for (const permission of permissions) {
      try {
        await retryUntilPropagated(() => client.send(new AddPermissionCommand({ ...anyone, ...permission })));
      } catch (error) {
        if (!isExisting(error)) throw error;
      }
    }
    const config = { ...alias, AuthType: 'NONE' as const, InvokeMode: 'RESPONSE_STREAM' as const };
    return (
      (await retryUntilPropagated(() => client.send(new CreateFunctionUrlConfigCommand(config)))).FunctionUrl ?? ''
    );
  }

  /** Returns the configuration of a release; undefined if the release does not exist. */
  async function findRelease(applicationId: string, Qualifier: string): Promise<FunctionConfiguration | undefined> {
    const command = new GetFunctionCommand({ FunctionName: nameOf(applicationId), Qualifier });
    const found = await tolerate(client.send(command), MISSING);
    return found && (found.Configuration ?? {});
  }

  return {
    async release(app, artifact, onThrottled = () => {}) {
      const lastRestartAt = Date.now() + MAX_RESTART_MS;
      const code = settings.copy ? await settings.copy(artifact) : artifact;
      onThrottledAttempt.add(onThrottled);
      const attempt = () => publish(app, code);
      // A stopped deployment, or one that was believed dead, may still run its step and change the function at the same time.
      const retryIf = (isConflict: (error: unknown) => boolean) => (error: unknown) => {
        if (!isConflict(error) || Date.now() > lastRestartAt) throw error;
        return attempt();
      };
      try {
        return await attempt().catch(retryIf(isBusy)).catch(retryIf(isCodeReplaced));
      } catch (error) {
        if (isRuntimeRetired(error)) throw new RuntimeRetired(app.nodeVersion);
        throw isThrottled(error)
          ? new HostThrottled('Lambda throttles changes at the moment', { cause: error })
          : error;
      } finally {
        onThrottledAttempt.delete(onThrottled);
      }
    },

    async nodeVersionOf(applicationId, release) {
      return /^nodejs(\d+)\.x$/.exec((await findRelease(applicationId, release))?.Runtime ?? '')?.[1];
    },

    async probe(applicationId, Qualifier, target) {
      const [, path = '/', query = ''] = /^([^?]*)\??(.*)$/.exec(target) ?? [];
      const Payload = new TextEncoder().encode(JSON.stringify(checkRequest(path, query)));
      const FunctionName = nameOf(applicationId);
      const answer = await client.send(new InvokeCommand({ FunctionName, Qualifier, Payload, LogType: 'Tail' }));
      const payload = new TextDecoder().decode(answer.Payload);
      const output = Buffer.from(answer.LogResult ?? '', 'base64').toString('utf8');
      if (!answer.FunctionError) return { status: parseStatus(payload), error: undefined, output };
      const { errorMessage } = FunctionError().parse(parseJson(payload));
      return { status: undefined, error: errorMessage ?? answer.FunctionError, output };
    },

    async switchTo(applicationId, FunctionVersion) {
      const FunctionName = nameOf(applicationId);
      await orFindExisting(() => pointLiveAlias(FunctionName, FunctionVersion));
      return new URL(await orFindExisting(() => ensureFunctionUrl(FunctionName))).host;
    },

    serving: async (applicationId) => (await findLiveAlias(nameOf(applicationId)))?.FunctionVersion,

    hasRelease: async (applicationId, release) => (await findRelease(applicationId, release)) !== undefined,

    async removeRelease(applicationId, Qualifier) {
      try {
        await client.send(new DeleteFunctionCommand({ FunctionName: nameOf(applicationId), Qualifier }));
      } catch (error) {
        if (isServing(error)) return false;
        if (!isMissing(error)) throw error;
      }
      return true;
    },

    async remove(applicationId) {
      await tolerate(client.send(new DeleteFunctionCommand({ FunctionName: nameOf(applicationId) })), MISSING);
    },
  };
}
