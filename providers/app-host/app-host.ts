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
import { checkRequest, parseStatus } from './check-request.ts';
import { type AppHostSettings, type Artifact, createPublisher, type HostedApp } from './publishing.ts';
import {
  isBusy,
  isCodeReplaced,
  isGranted,
  isMissing,
  isRuntimeRetired,
  isServing,
  isThrottled,
  observeThrottling,
} from './refusals.ts';
import { HostThrottled, LIVE_ALIAS, RuntimeRetired } from './resources.ts';

/** The payload of an invocation that failed. */
const FunctionError = memoize(() => z.catch(z.object({ errorMessage: z.optional(z.string()) }), {}));

/** The response of a release to its health check. */
export interface HealthCheck {
  /** The HTTP status of the path; undefined when the process did not answer at all. */
  status: number | undefined;
  /** Why it did not answer, in the host's words. */
  error: string | undefined;
  /** The last of what the process printed. */
  output: string;
}

/** Runs applications. A release is immutable; the one that serves is chosen by {@link AppHost.switchTo}. */
export interface AppHost {
  /**
   * Makes a release of an artifact and returns its number.
   * @param onThrottled called for each request that the host refuses because its rate is used up, and that is repeated
   * @throws {HostThrottled} where all repetitions were refused, too
   */
  release(app: HostedApp, artifact: Artifact, onThrottled?: () => void): Promise<string>;
  /** Returns the version of Node of a release; undefined where it is not there. */
  nodeVersionOf(applicationId: string, release: string): Promise<string | undefined>;
  /** Requests a path of a release, without sending it any traffic. */
  probe(applicationId: string, release: string, path: string): Promise<HealthCheck>;
  /** Sends all traffic to a release and returns the host name that it answers at. */
  switchTo(applicationId: string, release: string): Promise<string>;
  /** Returns the release that serves; undefined where none does, or the application is unknown. */
  serving(applicationId: string): Promise<string | undefined>;
  hasRelease(applicationId: string, release: string): Promise<boolean>;
  /** Deletes a release that does not serve; one that is not there is no error. @returns false where it serves after all */
  removeRelease(applicationId: string, release: string): Promise<boolean>;
  /** Deletes everything of an application; one that is not there is no error. */
  remove(applicationId: string): Promise<void>;
}

/** A release whose function another one changes begins again in this time, in milliseconds: the step ends before its own timeout. */
const MAX_RESTART_MS =
  (TIMEOUTS_S.release.release - 4 * TIMEOUTS_S.release.update - TIMEOUTS_S.release.throttling) * 1000;
/** The longest wait until all of Lambda knows a new alias, in milliseconds, and the pause between two attempts. */
const MAX_PROPAGATION_MS = TIMEOUTS_S.release.propagation * 1000;
const PROPAGATION_PAUSE_MS = 250;
/**
 * Attempts of each call. Lambda takes 15 changes a second of a whole account, and a release makes about ten: releases at
 * once wait for one another, for about a minute at most.
 */
export const APP_HOST_ATTEMPTS = 10;

/**
 * One Lambda function an application, with the Lambda Web Adapter: a release is a published version, the alias `live`
 * sends traffic to one of them, its function URL is where the edge forwards to.
 */
export function createAppHost(client: LambdaClient, settings: AppHostSettings): AppHost {
  const nameOf = (applicationId: string) => settings.prefix + applicationId;
  const publish = createPublisher(client, settings);
  const onThrottledAttempt = observeThrottling(client);
  /** Repeats a call about an alias that was just created, until all of Lambda knows it. */
  async function propagated<T>(call: () => Promise<T>): Promise<T> {
    const givenUpAt = Date.now() + MAX_PROPAGATION_MS;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!isMissing(error) || Date.now() > givenUpAt) throw error;
        await new Promise((done) => setTimeout(done, PROPAGATION_PAUSE_MS));
      }
    }
  }

  /** The alias as it is, or undefined before the first release. */
  async function live(FunctionName: string) {
    try {
      return await client.send(new GetAliasCommand({ FunctionName, Name: LIVE_ALIAS }));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** The alias's own address, open to the world: the edge cannot sign for visitors (docs/decisions/0001-edge-distributions.md). */
  async function functionUrl(FunctionName: string): Promise<string> {
    const of = { FunctionName, Qualifier: LIVE_ALIAS };
    try {
      return (await client.send(new GetFunctionUrlConfigCommand(of))).FunctionUrl ?? '';
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    const anyone = { ...of, Principal: '*' };
    const permissions = [
      { StatementId: 'url', Action: 'lambda:InvokeFunctionUrl', FunctionUrlAuthType: 'NONE' as const },
      { StatementId: 'url-invoke', Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true },
    ];
    for (const permission of permissions) {
      try {
        await propagated(() => client.send(new AddPermissionCommand({ ...anyone, ...permission })));
      } catch (error) {
        if (!isGranted(error)) throw error;
      }
    }
    const config = { ...of, AuthType: 'NONE' as const, InvokeMode: 'RESPONSE_STREAM' as const };
    return (await propagated(() => client.send(new CreateFunctionUrlConfigCommand(config)))).FunctionUrl ?? '';
  }

  /** Returns the configuration of a release; undefined where it is not there. */
  async function findRelease(applicationId: string, Qualifier: string): Promise<FunctionConfiguration | undefined> {
    try {
      const found = await client.send(new GetFunctionCommand({ FunctionName: nameOf(applicationId), Qualifier }));
      return found.Configuration ?? {};
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  return {
    async release(app, artifact, onThrottled = () => {}) {
      const restartsUntil = Date.now() + MAX_RESTART_MS;
      const code = settings.copy ? await settings.copy(artifact) : artifact;
      onThrottledAttempt.add(onThrottled);
      const publishing = () => publish(app, code);
      // The step of another deployment that is stopped, or was thought to be gone, changes the function meanwhile.
      const againIf = (isInTheWay: (error: unknown) => boolean) => (error: unknown) => {
        if (!isInTheWay(error) || Date.now() > restartsUntil) throw error;
        return publishing();
      };
      try {
        return await publishing().catch(againIf(isBusy)).catch(againIf(isCodeReplaced));
      } catch (error) {
        if (isRuntimeRetired(error)) throw new RuntimeRetired(app.nodeVersion);
        throw isThrottled(error) ? new HostThrottled('Lambda takes no more changes for now', { cause: error }) : error;
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
      const alias = await live(FunctionName);
      const target = { FunctionName, Name: LIVE_ALIAS, FunctionVersion };
      if (!alias) await client.send(new CreateAliasCommand(target));
      else if (alias.FunctionVersion !== FunctionVersion) {
        await client.send(new UpdateAliasCommand({ ...target, RevisionId: alias.RevisionId }));
      }
      return new URL(await functionUrl(FunctionName)).host;
    },

    serving: async (applicationId) => (await live(nameOf(applicationId)))?.FunctionVersion,

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
      try {
        await client.send(new DeleteFunctionCommand({ FunctionName: nameOf(applicationId) }));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    },
  };
}
