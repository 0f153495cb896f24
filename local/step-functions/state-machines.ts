import type { StateMachineDefinition } from 'aws-local-stepfunctions';
import { isObject, type Json, type JsonObject } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';

/** The engine gives a task 60 s where its state says nothing; Step Functions has no such limit. In seconds. */
const NO_LIMIT = 2_000_000;

interface TaskState {
  name: string;
  resource: string;
}

/** All Task states, those inside Parallel and Map states too; gives them their limit on the way. */
function tasksOf(definition: JsonObject): TaskState[] {
  return Object.entries(isObject(definition.States) ? definition.States : {}).flatMap(([name, state]) => {
    if (!isObject(state)) return [];
    if (state.Type === 'Task') {
      if (state.TimeoutSecondsPath === undefined) state.TimeoutSeconds ??= NO_LIMIT;
      return [{ name, resource: String(state.Resource) }];
    }
    const inside = [state.Iterator, state.ItemProcessor, ...(Array.isArray(state.Branches) ? state.Branches : [])];
    return inside.flatMap((nested) => (isObject(nested) ? tasksOf(nested) : []));
  });
}

/** A state machine of the template. */
export interface Machine {
  arn: string;
  definition: JsonObject;
  tasks: TaskState[];
}

/** The template's state machines, their definitions resolved. */
export function machinesOf(template: Template): Machine[] {
  return template.resources('AWS::StepFunctions::StateMachine').map(({ arn, properties }) => {
    const { DefinitionString, Definition, DefinitionSubstitutions } = properties;
    let text = typeof DefinitionString === 'string' ? DefinitionString : JSON.stringify(Definition ?? {});
    for (const [key, value] of Object.entries(isObject(DefinitionSubstitutions) ? DefinitionSubstitutions : {})) {
      text = text.replaceAll(`\${${key}}`, String(value));
    }
    const definition: Json = JSON.parse(text);
    if (!isObject(definition)) throw new Error(`the state machine ${arn} has no definition`);
    return { arn, definition, tasks: tasksOf(definition) };
  });
}

/** A definition that begins at another state and has that much time left, in seconds. */
export function definitionFrom(machine: Machine, startAt: string | undefined, elapsed: number): StateMachineDefinition {
  const definition = structuredClone(machine.definition);
  if (startAt !== undefined) definition.StartAt = startAt;
  if (typeof definition.TimeoutSeconds === 'number') {
    // The engine wants something to be left.
    definition.TimeoutSeconds = Math.max(0.001, definition.TimeoutSeconds - elapsed);
  }
  // The template test validates definitions; here it would only cost time.
  const found: unknown = definition;
  return found as StateMachineDefinition;
}
