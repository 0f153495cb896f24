import { UserError } from '../data-directory.ts';
import type { PrincipalOf } from '../iam/principals.ts';
import type { Lambda } from '../lambda/lambda.ts';
import { isObject, type Json } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';
import type { EventSource } from './streams.ts';

interface Schedule {
  name: string;
  functionArn: string;
  /** ARN of the role with which Scheduler invokes the function. */
  role: string;
  input: Json;
  periodMs: number;
}

const UNITS_MS: Record<string, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
/** Maximum period of a JavaScript timer. A longer one would fire immediately. */
const MAX_PERIOD_MS = 2 ** 31 - 1;

/**
 * Returns the period of a schedule expression, in milliseconds.
 * @throws UserError for any expression other than `rate(…)`, the only one that the platform's stacks use
 */
export function periodOf(name: string, expression: string): number {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const period = Number(count) * (UNITS_MS[unit] ?? 0);
  if (period > 0 && period <= MAX_PERIOD_MS) return period;
  throw new UserError(
    `The local run does not support the schedule ${name}, "${expression}". It supports rates up to 24 days, such as rate(5 minutes).`,
  );
}

/** Returns the template's enabled EventBridge Scheduler schedules. */
function schedulesOf(template: Template): Schedule[] {
  return template.resources('AWS::Scheduler::Schedule').flatMap(({ name, properties }) => {
    const { State, ScheduleExpression, Target } = properties;
    if (State === 'DISABLED' || !isObject(Target)) return [];
    const input = typeof Target.Input === 'string' ? JSON.parse(Target.Input) : {};
    return [
      {
        name,
        functionArn: String(Target.Arn),
        role: String(Target.RoleArn),
        input,
        periodMs: periodOf(name, String(ScheduleExpression)),
      },
    ];
  });
}

/** Runs the template's schedules. Each runs at the start too, because work may be overdue since the last run. */
export function startSchedules(
  template: Template,
  lambda: Pick<Lambda, 'invoke' | 'has'>,
  principalOf: PrincipalOf,
): EventSource {
  const timers = schedulesOf(template).map(({ name, functionArn, role, input, periodMs }) => {
    if (!lambda.has(functionArn)) throw new Error(`the schedule ${name} has no function as its target`);
    const denial = principalOf(role, name).refuse([{ action: 'lambda:InvokeFunction', resource: functionArn }]);
    if (denial) throw new Error(`the schedule ${name} cannot invoke its function: ${denial.message}`);
    const invoke = (): void => {
      // The pool logs failures, and the next period tries again.
      lambda.invoke(functionArn, input).catch(() => {});
    };
    invoke();
    return setInterval(invoke, periodMs);
  });
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}
