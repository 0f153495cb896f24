import { after, before, type Change, withImport } from './change.ts';
import { camel, constant, kebab, pascal } from './names.ts';

/** Returns the change that adds a state machine with one step, which repeats until it reports `done`, its stack and the rights to start it. */
export function workflow(name: string, area: string): Change {
  const id = camel(name);
  const file = kebab(name);
  const type = pascal(name);
  const variable = `${constant(name)}_STATE_MACHINE_ARN`;
  const domain = `domain/${area}/${file}.ts`;

  const machine = `/** Seconds between two checks. */
const CHECK_INTERVAL_SECONDS = 5;

/** Repeats the step until it is done. Input: id. */
export function ${id}Machine({ ${id} }: { ${id}: string }) {
  return {
    Comment: '${type}',
    StartAt: 'Check',
    TimeoutSeconds: 3600,
    States: {
      Check: {
        Type: 'Task',
        Resource: ${id},
        ResultPath: '$.progress',
        Retry: [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 5, MaxAttempts: 5, BackoffRate: 2 }],
        Next: 'IsDone',
      },
      IsDone: {
        Type: 'Choice',
        Choices: [{ Variable: '$.progress.done', BooleanEquals: true, Next: 'Done' }],
        Default: 'Wait',
      },
      Wait: { Type: 'Wait', Seconds: CHECK_INTERVAL_SECONDS, Next: 'Check' },
      Done: { Type: 'Succeed' },
    },
  };
}
`;

  const stack = `import { PlatformFunction } from '../constructs/function.ts';
import type { Use } from '../constructs/rights.ts';
import { Machine } from '../constructs/state-machine.ts';
import { ${id}Machine } from '../state-machines/${file}.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { TableStack } from './table.ts';

/** The state machine ${id} and the function of its step. */
export class ${type}Stack extends PlatformStack {
  /** The right to start an execution. */
  readonly start: Use;

  constructor(platform: Platform, table: TableStack) {
    super(platform, '${file}', 'The state machine ${id} and the function of its step');
    const { names } = platform;
    this.addStackDependency(table);

    const ${id} = new PlatformFunction(this, platform, 'workflow/${id}', {
      description: 'A step of the state machine ${id}',
      timeout: 60,
      uses: [table.read, table.write],
    });
    new Machine(this, platform, '${id}', {
      definition: ${id}Machine({ ${id}: ${id}.live.functionArn }),
      functions: [${id}],
    });
    this.start = {
      variables: { ${variable}: names.${id}.arn },
      rights: [{ actions: ['states:StartExecution'], on: [names.${id}.arn] }],
    };
  }
}
`;

  const step = `import { ${id}, ${type}Input } from '../../${domain}';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** The step of the state machine ${id}. */
export const handler = step(${type}Input, (input) => ${id}(deps, input));
`;

  const rule = `import * as z from 'zod/mini';
import type { Deps } from '../deps.ts';

/** Input of an execution: ids only, because executions are logged and limited in size. */
export const ${type}Input = z.object({ id: z.string() });

/**
 * One step of the workflow. It may run twice: a repetition changes nothing.
 * @returns whether nothing is left to do
 */
export async function ${id}(_deps: Deps, _input: z.output<typeof ${type}Input>): Promise<{ done: boolean }> {
  return { done: true };
}
`;

  const twice = `import { expect, test } from 'vitest';
import { memoryTable } from '../../test/support/memory-table.ts';
import type { Deps } from '../deps.ts';
import { ${id} } from './${file}.ts';

test('a repeated step of ${id} changes nothing', async () => {
  const { table, written } = memoryTable();
  const deps = { table, now: () => new Date('2026-01-31T09:30:00.000Z') } as Deps;
  expect(await ${id}(deps, { id: 'id_1' })).toEqual({ done: true });
  const first = written.length;
  expect(await ${id}(deps, { id: 'id_1' })).toEqual({ done: true });
  expect(written).toHaveLength(first);
});
`;

  /** Gives a stack the new one as a neighbor. */
  const withNeighbor = (text: string, neighbors: string) =>
    withImport(
      after(text, new RegExp(`interface ${neighbors} \\{\\n`), `  ${id}: ${type}Stack;\n`),
      `./${file}.ts`,
      `type ${type}Stack`,
    );

  return {
    create: {
      [`lib/state-machines/${file}.ts`]: machine,
      [`lib/stacks/${file}.ts`]: stack,
      [`functions/workflow/${id}.ts`]: step,
      [domain]: rule,
      [`domain/${area}/${file}.test.ts`]: twice,
    },
    edit: {
      'lib/names.ts': (text) => after(text, /^.*: machine\('[^']+'\),\n/gm, `    ${id}: machine('${file}'),\n`),
      'lib/app.ts': (text) => {
        const made = before(
          text,
          / {2}const jobQueues = new HandOverStack\(/,
          `  const ${id} = new ${type}Stack(platform, table);\n`,
        );
        const passed = after(
          after(made, /new HandOverStack\(platform, \{/, ` ${id},`),
          /new SchedulesStack\(platform, \{/,
          ` ${id},`,
        );
        return withImport(passed, `./stacks/${file}.ts`, `${type}Stack`);
      },
      'lib/stacks/hand-over.ts': (text) => {
        const known = withNeighbor(text, 'HandOverNeighbors');
        const named = before(known, /(?<=const \{\s+)[^}\s][^}]*\} =\s+neighbors;/, `${id}, `);
        return after(named, /'startWorkflow'[\s\S]*?uses: \[/, `${id}.start, `);
      },
      'lib/stacks/schedules.ts': (text) =>
        after(
          withNeighbor(text, 'ScheduleNeighbors'),
          /name: 'reconcile',[\s\S]*?uses: \[\n/,
          `        stacks.${id}.start,\n`,
        ),
      'runtime/config.ts': (text) => after(text, /^ {2}\w+_STATE_MACHINE_ARN: text,\n/gm, `  ${variable}: text,\n`),
      'runtime/bindings/executions.ts': (text) =>
        after(
          text,
          /^ {2}\w+: createExecutions\(.*\),\n/gm,
          `  ${id}: createExecutions(client, required('${variable}')),\n`,
        ),
      'test/template/machines.test.ts': (text) =>
        text.replace(/(?<=replace\('hosting-prod-', ''\)\)\.sort\(\)\)\.toEqual\(\[)[^\]]*/, (list) =>
          [...(list.match(/'[^']+'/g) ?? []), `'${file}'`].sort().join(', '),
        ),
    },
    next: [
      `write the step in ${domain}, and what it may use in lib/stacks/${file}.ts`,
      `start it from a rule: npm run new -- rule start${type} --area ${area} --entity <Entity>`,
      'give the item a due time, and start lost executions again from domain/processes/reconciler.ts',
    ],
  };
}
