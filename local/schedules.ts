import { randomUUID } from 'node:crypto';
import type { EventSource } from './event-sources/streams.ts';
import type { Lambda } from './lambda/lambda.ts';
import { parseSchedule } from './schedule-expression.ts';
import { isObject, type Json, type JsonObject } from './template/intrinsics.ts';
import type { Template } from './template/template.ts';

interface Schedule {
  name: string;
  expression: string;
  functionArn: string;
  input: Json;
}

/** setTimeout fires at once beyond this. */
const LONGEST_TIMER = 2 ** 31 - 1;

const parsed = (input: Json | undefined): Json | undefined =>
  typeof input === 'string' ? JSON.parse(input) : undefined;

/** EventBridge's own event, for rules that say nothing else. */
const ruleEvent = (arn: string, region: string): JsonObject => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: '000000000000',
  time: new Date().toISOString(),
  region,
  resources: [arn],
  detail: {},
});

/** What the template does by the clock, of both services: EventBridge rules and EventBridge Scheduler. */
function schedulesOf(template: Template): Schedule[] {
  const schedules = template.resources('AWS::Scheduler::Schedule').map(({ name, properties }) => {
    const target = isObject(properties.Target) ? properties.Target : {};
    return { name, properties, expression: properties.ScheduleExpression, targets: [target], event: {} };
  });
  const rules = template.resources('AWS::Events::Rule').map(({ name, arn, properties }) => {
    const targets = Array.isArray(properties.Targets) ? properties.Targets.filter(isObject) : [];
    const event = ruleEvent(arn, arn.split(':')[3] ?? '');
    return { name, properties, expression: properties.ScheduleExpression, targets, event };
  });
  return [...schedules, ...rules].flatMap(({ name, properties, expression, targets, event }) => {
    if (typeof expression !== 'string' || properties.State === 'DISABLED') return [];
    return targets.map(({ Arn, Input }) => ({
      name,
      expression,
      functionArn: String(Arn),
      input: parsed(Input) ?? event,
    }));
  });
}

/** Runs the template's schedules; those with a rate fire at once too, for something may be overdue since the last run. */
export function startSchedules(template: Template, lambda: Pick<Lambda, 'invoke' | 'has'>): EventSource {
  const timers = new Map<Schedule, NodeJS.Timeout>();
  const fire = ({ functionArn, input }: Schedule): void => {
    // The pool logs failures; the next time is another.
    lambda.invoke(functionArn, input).catch(() => {});
  };
  for (const schedule of schedulesOf(template)) {
    if (!lambda.has(schedule.functionArn))
      throw new Error(`the schedule ${schedule.name} has no function as its target`);
    const { atStart, next } = parseSchedule(schedule.expression);
    const wait = (due: number | undefined): void => {
      if (due === undefined) return;
      const left = due - Date.now();
      const timer = setTimeout(
        () => {
          if (left <= LONGEST_TIMER) fire(schedule);
          wait(left <= LONGEST_TIMER ? next(due) : due);
        },
        Math.min(left, LONGEST_TIMER),
      );
      timers.set(schedule, timer);
    };
    if (atStart) fire(schedule);
    wait(next(Date.now()));
  }
  return {
    async stop() {
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
