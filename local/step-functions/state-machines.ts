import type { StateMachineDefinition } from 'aws-local-stepfunctions';
import { isObject, type Json, type JsonObject } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';

/** The engine's default timeout of a task is 60 s. Step Functions has none. */
const NO_TIMEOUT_SECONDS = 2_000_000;

interface TaskState {
  name: string;
  resource: string;
}

/** Returns all Task states, including those inside Parallel and Map states, and sets their default timeout. */
function tasksOf(definition: JsonObject): TaskState[] {
  return Object.entries(isObject(definition.States) ? definition.States : {}).flatMap(([name, state]) => {
    if (!isObject(state)) return [];
    if (state.Type === 'Task') {
      if (state.TimeoutSecondsPath === undefined) state.TimeoutSeconds ??= NO_TIMEOUT_SECONDS;
      return [{ name, resource: String(state.Resource) }];
    }
    const inside = [state.Iterator, state.ItemProcessor, ...(Array.isArray(state.Branches) ? state.Branches : [])];
    return inside.flatMap((nested) => (isObject(nested) ? tasksOf(nested) : []));
  });
}

/** A state machine of the template. */
export interface Machine {
  arn: string;
  /** ARN of the role with which its steps act. */
  role: string;
  definition: JsonObject;
  tasks: TaskState[];
}

/** Returns the template's state machines with resolved definitions. */
export function machinesOf(template: Template): Machine[] {
  return template.resources('AWS::StepFunctions::StateMachine').map(({ arn, properties }) => {
    const { DefinitionString, Definition, DefinitionSubstitutions } = properties;
    let text = typeof DefinitionString === 'string' ? DefinitionString : JSON.stringify(Definition ?? {});
    for (const [key, value] of Object.entries(isObject(DefinitionSubstitutions) ? DefinitionSubstitutions : {})) {
      text = text.replaceAll(`\${${key}}`, String(value));
    }
    const definition: Json = JSON.parse(text);
    if (!isObject(definition)) throw new Error(`The state machine ${arn} has no definition`);
    return { arn, role: String(properties.RoleArn), definition, tasks: tasksOf(definition) };
  });
}

/** Returns a definition that starts at another state, with its timeout reduced by the elapsed seconds. */
export function definitionFrom(machine: Machine, startAt: string | undefined, elapsed: number): StateMachineDefinition {
  const definition = structuredClone(machine.definition);
  if (startAt !== undefined) definition.StartAt = startAt;
  if (typeof definition.TimeoutSeconds === 'number') {
    // The engine requires a positive timeout.
    definition.TimeoutSeconds = Math.max(0.001, definition.TimeoutSeconds - elapsed);
  }
  // The template test validates definitions, so this skips validation to save time.
  const found: unknown = definition;
  return found as StateMachineDefinition;
}
