import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { type Message, textOf } from './reply.ts';
import { fillIn } from './schema-values.ts';

/** Tool calls and structured output of the OpenAI emulators: enough to develop a tool loop against. */

const Tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({ name: z.string(), description: z.string().nullish(), parameters: z.unknown() }),
});
type Tool = z.output<typeof Tool>;

const Named = z.object({ function: z.object({ name: z.string() }) });

export const ToolFields = {
  tools: z.array(Tool).min(1).nullish(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      Named,
      z.object({
        type: z.literal('allowed_tools'),
        allowed_tools: z.object({ mode: z.enum(['auto', 'required']), tools: z.array(Named) }),
      }),
    ])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: z
    .looseObject({ type: z.string(), json_schema: z.looseObject({ schema: z.unknown() }).optional() })
    .nullish(),
};
const Fields = z.object(ToolFields);
type Fields = z.output<typeof Fields>;

export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** The words of a text by which a tool is recognised: `get_weather` has `weather`. */
const wordsOf = (text: string): Set<string> =>
  new Set(
    text
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}]{4,}/gu),
  );

/** Rates a tool by the words that it shares with a message. Infinite where the message names it. */
function relevance({ function: { name, description } }: Tool, text: string): number {
  if (text.includes(name)) return Number.POSITIVE_INFINITY;
  const said = wordsOf(text);
  return [...wordsOf(`${name} ${description ?? ''}`)].filter((word) => said.has(word)).length;
}

const callOf = ({ function: { name, parameters } }: Tool, text: string): ToolCall => ({
  id: `call_${randomBytes(12).toString('hex')}`,
  type: 'function',
  function: { name, arguments: JSON.stringify(fillIn(parameters ?? { type: 'object' }, text)) },
});

/**
 * Returns the tools that the model calls: the one that the request demands, the most relevant one where it must call any, and
 * otherwise each that has a word in common with the user's message. None once there are results, or when the user dictates
 * the answer.
 */
export function callsFor(
  { tools, tool_choice, parallel_tool_calls }: Fields,
  messages: readonly Message[],
): ToolCall[] {
  const last = messages.at(-1);
  if (!tools || tool_choice === 'none' || last?.role !== 'user') return [];
  const text = textOf(last);
  if (typeof tool_choice === 'object' && tool_choice && 'allowed_tools' in tool_choice) {
    const { mode, tools: some } = tool_choice.allowed_tools;
    const allowed = tools.filter((tool) => some.some((each) => each.function.name === tool.function.name));
    return callsFor({ tools: allowed, tool_choice: mode, parallel_tool_calls }, messages);
  }
  if (typeof tool_choice === 'object' && tool_choice) {
    const named = tools.find((tool) => tool.function.name === tool_choice.function.name);
    return named ? [callOf(named, text)] : [];
  }
  const ranked = tools
    .map((tool) => ({ tool, score: relevance(tool, text) }))
    .sort((a, b) => b.score - a.score)
    .filter(({ score }, index) => score > 0 || (tool_choice === 'required' && index === 0));
  if (tool_choice !== 'required' && /say exactly: /.test(text)) return [];
  return ranked.slice(0, parallel_tool_calls === false ? 1 : 4).map(({ tool }) => callOf(tool, text));
}

/** Returns the text that the response's format dictates, or undefined. */
export function structuredText({ response_format }: Fields, messages: readonly Message[]): string | undefined {
  const text = textOf(messages.findLast(({ role }) => role === 'user') ?? { role: 'user' });
  if (response_format?.type === 'json_schema') return JSON.stringify(fillIn(response_format.json_schema?.schema, text));
  return response_format?.type === 'json_object' ? JSON.stringify({ answer: text.slice(0, 60) }) : undefined;
}

/** Returns the error message for tool results that no call asked for, or calls without results, as OpenAI refuses them. */
export function findToolError(messages: readonly Message[]): string | undefined {
  let open = new Set<string>();
  for (const [index, { role, tool_calls, tool_call_id }] of messages.entries()) {
    if (role === 'tool') {
      if (!open.delete(tool_call_id ?? '')) {
        return `Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls' (messages.${index}).`;
      }
      continue;
    }
    if (open.size > 0) break;
    open = new Set((tool_calls ?? []).map(({ id }) => id));
  }
  if (open.size === 0) return undefined;
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following did not have response messages: ${[...open].join(', ')}`;
}
