import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { TIMEOUTS_S as T } from '../../contract/limits/timeouts.ts';
import { LambdaFunction, read, synthesize } from './synthesized.ts';

/** Every chain of the templates: whatever waits outlasts what it waits for. */

const { template } = synthesize({ stage: 'prod' });
const functions = read(template, 'AWS::Lambda::Function', LambdaFunction);
const PREFIX = 'hosting-prod-';
const timeoutOf = (nameOrArn: string): number => {
  const found = functions.find(
    ({ arn, FunctionName }) => nameOrArn.startsWith(arn) || nameOrArn.split(':')[0] === FunctionName,
  );
  return found?.Timeout ?? expect.unreachable(`there is no function ${nameOrArn}`);
};

test('no timeout is a number of its own', () => {
  const OWN = /(?:\w*TIMEOUT\w* = |\w*[tT]imeout: |maxWaitTime: |AbortSignal\.timeout\()(?!0 )[\d(]/;
  /** Numbers that no function waits for. */
  const known = ['providers/ai/transport.ts: const TRAILER_TIMEOUT_MS = 1_000;'];
  const found = globSync('{lib,providers,runtime}/**/*.ts', { exclude: ['**/*.test.ts'] }).flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => OWN.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found.filter((line) => !known.includes(line))).toEqual([]);
});

test('no client of AWS waits for a silent service without end', () => {
  /** They wait for functions, which their own function's timeout limits. */
  const waiting = ['runtime/bindings/app-host.ts', 'runtime/bindings/replays.ts'];
  const count = (text: string, what: RegExp) => text.match(what)?.length ?? 0;
  const files = globSync('{providers,runtime}/**/*.ts', { exclude: ['**/*.test.ts'] }).map((file) => {
    const text = readFileSync(file, 'utf8');
    return {
      file,
      clients: count(text, /new \w+Client\(/g),
      limited: count(text, /new \w+Client\((?:\{ \.\.\.)?sdkTimeouts\(/g),
    };
  });
  const unlimited = files.filter(({ clients, limited }) => limited < clients).map(({ file }) => file);
  expect(unlimited.sort()).toEqual(waiting);
});

test('a call of AWS outlasts its attempts', () => {
  // Three attempts that hang, with the pauses between them (runtime/aws/client.ts: 25 ms · 2ⁿ, with full jitter).
  const pauses = 0.05 + 0.1;
  for (const attempt of [T.aws.attempt, T.aws.object]) expect(T.aws.call).toBeGreaterThan(3 * attempt + pauses);
  expect(T.aws.call).toBeGreaterThan(Math.max(T.aws.object, T.registrar.read, 3 * T.aws.secret));
  // Five attempts at a tenant that hang (runtime/bindings/edge-tenants.ts).
  expect(timeoutOf(`${PREFIX}workflow-reconcileTenant`)).toBeGreaterThan(5 * T.aws.sdk);
  expect(timeoutOf(`${PREFIX}workflow-submitDomainTask`)).toBeGreaterThan(T.registrar.order + T.aws.call);
});

describe('edge → API → function', () => {
  const Origin = z.object({
    DomainName: z.string(),
    CustomOriginConfig: z.object({ OriginReadTimeout: z.number() }).optional(),
  });
  const Distribution = z.object({ DistributionConfig: z.object({ Origins: z.array(Origin) }) });
  const origins = read(template, 'AWS::CloudFront::Distribution', Distribution).flatMap(({ DistributionConfig }) =>
    DistributionConfig.Origins.flatMap(({ DomainName, CustomOriginConfig }) =>
      CustomOriginConfig ? [{ DomainName, wait: CustomOriginConfig.OriginReadTimeout }] : [],
    ),
  );
  const waitFor = (host: RegExp) => {
    const found = origins.filter(({ DomainName }) => host.test(DomainName)).map(({ wait }) => wait);
    return found.length > 0 ? Math.min(...found) : expect.unreachable(`there is no origin like ${host}`);
  };

  test('the edge outlasts the API, which outlasts every function that it calls', () => {
    const Integration = z.object({ IntegrationUri: z.string(), TimeoutInMillis: z.number().default(30_000) });
    const integrations = read(template, 'AWS::ApiGatewayV2::Integration', Integration);
    expect(integrations.length).toBeGreaterThan(60);
    for (const { IntegrationUri, TimeoutInMillis } of integrations) {
      expect(waitFor(/execute-api/) * 1000).toBeGreaterThan(TimeoutInMillis);
      expect(TimeoutInMillis / 1000, IntegrationUri).toBeGreaterThan(timeoutOf(IntegrationUri));
    }
    expect(T.api.integration).toBe(30);
    // The last attempt after conflicts may have a call of which one attempt hangs. Operators' writes have the time of reads.
    for (const time of [T.api.read, T.api.write]) expect(time).toBeGreaterThan(T.api.conflicts + T.aws.attempt);
  });

  test('the edge outlasts the longest silence of the AI gateway, which outlasts its longest call', () => {
    // Until then the provider has answered, or its failure has its own status.
    expect(waitFor(/lambda-url/)).toBeGreaterThan(T.ai.firstByte + T.ai.connect);
    // The gateway keeps a response alive from here on (domain/ai/call.ts).
    expect(waitFor(/lambda-url/)).toBeGreaterThanOrEqual(T.ai.keepAlive + T.ai.connect + T.api.read);
    expect(timeoutOf(`${PREFIX}ai-chatCompletions`)).toBeGreaterThan(T.ai.call + T.api.read);
    expect(T.ai.hold).toBeGreaterThan(timeoutOf(`${PREFIX}ai-chatCompletions`));
  });

  test('the edge outlasts every request to an application', () => {
    const apps = origins.filter(({ DomainName }) => !/execute-api|lambda-url/.test(DomainName));
    expect(apps.length).toBeGreaterThan(1);
    for (const { wait } of apps) expect(wait).toBeGreaterThan(T.release.request + T.release.start);
  });
});

describe('queue → consumer → callee', () => {
  const Mapping = z.object({ EventSourceArn: z.string(), FunctionName: z.string() });
  const mappings = template
    .resources('AWS::Lambda::EventSourceMapping')
    .map(({ properties }) => Mapping.parse(properties))
    .filter(({ EventSourceArn }) => EventSourceArn.startsWith('arn:aws:sqs:'));

  test('a message stays hidden for longer than its consumer may run', () => {
    expect(mappings.length).toBeGreaterThan(2);
    for (const { EventSourceArn, FunctionName } of mappings) {
      const { VisibilityTimeout } = z
        .object({ VisibilityTimeout: z.number() })
        .parse(template.byArn(EventSourceArn)?.properties);
      expect(VisibilityTimeout).toBeGreaterThan(timeoutOf(FunctionName));
    }
  });

  test('a change of routes outlasts two writers that died', () => {
    expect(T.hostRoutes).toBeGreaterThan(2 * T.routeLease + T.aws.call);
  });

  test('a lease outlasts the function that holds it', () => {
    expect(T.zoneSync.lease).toBeGreaterThan(timeoutOf(`${PREFIX}queue-syncZone`));
    // The message of a crashed sync finds the lease free.
    expect(T.zoneSync.visibility).toBeGreaterThan(T.zoneSync.lease);
    expect(T.tenant.lease).toBeGreaterThan(timeoutOf(`${PREFIX}workflow-reconcileTenant`));
  });

  test('a scheduled job ends before the next one begins, with the last item that it began', () => {
    const Schedule = z.object({
      ScheduleExpression: z.literal('rate(1 minute)'),
      Target: z.object({ Arn: z.string() }),
    });
    for (const { Target } of read(template, 'AWS::Scheduler::Schedule', Schedule)) {
      expect(timeoutOf(Target.Arn)).toBeLessThan(T.schedule.interval);
      expect(timeoutOf(Target.Arn)).toBeGreaterThan(T.schedule.budget + T.schedule.item);
    }
    // A domain that is confirmed: the question, the request, and reads and writes of the table.
    expect(T.schedule.item).toBeGreaterThan(2 * T.registrar.sweep + T.aws.attempt);
  });
});

interface State {
  Type: string;
  Resource?: string;
  Seconds?: number;
  SecondsPath?: string;
  TimeoutSeconds?: number;
  Retry?: { IntervalSeconds: number; MaxAttempts: number; BackoffRate: number; MaxDelaySeconds?: number }[];
  Catch?: { Next: string }[];
  Choices?: { Next: string }[];
  Default?: string;
  Next?: string;
}

/** Returns the seconds of all pauses between the attempts of a state, and the number of attempts. */
function retriesOf({ Retry = [] }: State) {
  const pauses = Retry.flatMap(
    ({ IntervalSeconds, MaxAttempts, BackoffRate, MaxDelaySeconds = Number.POSITIVE_INFINITY }) =>
      Array.from({ length: MaxAttempts }, (_, attempt) =>
        Math.min(IntervalSeconds * BackoffRate ** attempt, MaxDelaySeconds),
      ),
  );
  return { attempts: pauses.length + 1, pause: pauses.reduce((sum, each) => sum + each, 0) };
}

/** The longest time of one pass through a state, in seconds. A wait that a function decides is part of its machine's loop. */
function longestOf(state: State): number {
  if (state.Type === 'Wait') return state.Seconds ?? 0;
  if (state.Type !== 'Task') return 0;
  const { attempts, pause } = retriesOf(state);
  const once = state.TimeoutSeconds ?? timeoutOf(state.Resource ?? '');
  return attempts * once + pause;
}

/** The longest way through a machine in seconds, each state at most once. */
function longestWay(states: Record<string, State>, at: string, visited: readonly string[] = []): number {
  const state = states[at];
  if (!state || visited.includes(at)) return 0;
  const next = [state.Next, state.Default, ...(state.Catch ?? []).map((each) => each.Next)];
  const after = [...next, ...(state.Choices ?? []).map((each) => each.Next)].flatMap((each) => each ?? []);
  return longestOf(state) + Math.max(0, ...after.map((each) => longestWay(states, each, [...visited, at])));
}

/** The longest time in seconds that the loop of a machine may go on: its functions end it (domain/). */
const LOOPS = new Map<string, number>([
  // The wait, at whose end the last build may be submitted, which ends or is stopped (domain/deployments/build.ts), and that of the release.
  ['deployment', T.build.wait + T.build.whole + T.release.wait],
  ['door', T.tenant.watch],
  ['database', T.database.provisioning],
  // Of a registration the registry decides, and the machine's own timeout is the limit.
]);

describe('state machine → step → build', () => {
  const machines = read(template, 'AWS::StepFunctions::StateMachine', z.object({ DefinitionString: z.string() })).map(
    ({ name, DefinitionString }) => {
      const definition: { StartAt: string; TimeoutSeconds: number; States: Record<string, State> } =
        JSON.parse(DefinitionString);
      return { name: name.replace(PREFIX, ''), ...definition };
    },
  );

  test.each(machines)(
    '$name outlasts its longest way, with every retry',
    ({ name, StartAt, States, TimeoutSeconds }) => {
      expect(TimeoutSeconds).toBeGreaterThan(longestWay(States, StartAt) + (LOOPS.get(name) ?? 0));
    },
  );

  test('a build is given up after its queue and its time, and the build’s access outlasts both', () => {
    const Project = z.object({ TimeoutInMinutes: z.number(), QueuedTimeoutInMinutes: z.number() });
    const [project] = read(template, 'AWS::CodeBuild::Project', Project);
    const { TimeoutInMinutes = 0, QueuedTimeoutInMinutes = 0 } = project ?? {};
    const whole = (TimeoutInMinutes + QueuedTimeoutInMinutes) * 60;
    expect(whole).toBe(T.build.queue + T.build.project);
    expect(T.build.whole).toBeGreaterThan(whole);
    expect(T.build.access).toBeGreaterThan(T.build.whole + T.release.begin + T.build.submit);
    expect(T.build.builder).toBeLessThan(TimeoutInMinutes * 60);
    // CodeBuild takes 5 to 480 minutes in the queue.
    expect(QueuedTimeoutInMinutes).toBeGreaterThanOrEqual(5);
  });

  test('the looks at a build, and its submission, outlast what they wait for', () => {
    expect(timeoutOf(`${PREFIX}workflow-watchBuild`)).toBeGreaterThan(T.build.watch + 2 * T.aws.call);
    expect(timeoutOf(`${PREFIX}workflow-submitBuild`)).toBeGreaterThan(3 * T.aws.call);
    // CodeBuild knows a submission's token for five minutes, in which the step is repeated after failures of Lambda.
    const submission = machines.find(({ name }) => name === 'deployment')?.States.Build ?? expect.unreachable();
    const [onFailure] = submission.Retry ?? [];
    const { pause } = retriesOf({ ...submission, Retry: onFailure ? [onFailure] : [] });
    expect(pause).toBeLessThan(300);
  });

  test('the steps of a release outlast what they wait for', () => {
    expect(timeoutOf(`${PREFIX}workflow-releaseDeployment`)).toBeGreaterThan(
      4 * T.release.update + T.release.throttling,
    );
    expect(timeoutOf(`${PREFIX}workflow-checkRelease`)).toBeGreaterThan(3 * (T.release.request + T.release.start));
    expect(timeoutOf(`${PREFIX}workflow-switchRelease`)).toBeGreaterThan(2 * T.hostRoutes + T.release.propagation);
  });
});
