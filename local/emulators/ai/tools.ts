import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { type Message, textOf } from './reply.ts';
import { generateValue } from './schema-values.ts';

/** Tool calls and structured output of the OpenAI emulators, enough to develop a tool loop against. */

const Tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({ name: z.string(), description: z.string().nullish(), parameters: z.unknown() }),
});
type Tool = z.output<typeof Tool>;

const ToolName = z.object({ function: z.object({ name: z.string() }) });

export const ToolFields = {
  tools: z.array(Tool).min(1).nullish(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      ToolName,
      z.object({
        type: z.literal('allowed_tools'),
        allowed_tools: z.object({ mode: z.enum(['auto', 'required']), tools: z.array(ToolName) }),
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

/** Returns the words of a text by which a tool is recognized, such as `weather` in `get_weather`. */
const wordsOf = (text: string): Set<string> =>
  new Set(
    text
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}]{4,}/gu),
  );

/** Returns the number of words that a tool shares with a message. Infinite if the message names the tool. */
function relevance({ function: { name, description } }: Tool, text: string): number {
  if (text.includes(name)) return Number.POSITIVE_INFINITY;
  const messageWords = wordsOf(text);
  return [...wordsOf(`${name} ${description ?? ''}`)].filter((word) => messageWords.has(word)).length;
}

const callOf = ({ function: { name, parameters } }: Tool, text: string): ToolCall => ({
  id: `call_${randomBytes(12).toString('hex')}`,
  type: 'function',
  function: { name, arguments: JSON.stringify(generateValue(parameters ?? { type: 'object' }, text)) },
});

/**
 * Returns the tool calls of the reply. The model calls the tool that the request names, else all tools that share a word with
 * the user's message (at most four), and at least the most relevant one if the request requires a call. It calls no tool after
 * tool results, or if the user dictates the reply.
 */
export function callsFor(
  { tools, tool_choice, parallel_tool_calls }: Fields,
  messages: readonly Message[],
): ToolCall[] {
  const last = messages.at(-1);
  if (!tools || tool_choice === 'none' || last?.role !== 'user') return [];
  const text = textOf(last);
  if (typeof tool_choice === 'object' && tool_choice && 'allowed_tools' in tool_choice) {
    const { mode, tools: allowed } = tool_choice.allowed_tools;
    const names = new Set(allowed.map((tool) => tool.function.name));
    const allowedTools = tools.filter((tool) => names.has(tool.function.name));
    return callsFor({ tools: allowedTools, tool_choice: mode, parallel_tool_calls }, messages);
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

/** Returns the JSON text that the requested response format requires; undefined for plain text. */
export function structuredText({ response_format }: Fields, messages: readonly Message[]): string | undefined {
  const text = textOf(messages.findLast(({ role }) => role === 'user') ?? { role: 'user' });
  if (response_format?.type === 'json_schema')
    return JSON.stringify(generateValue(response_format.json_schema?.schema, text));
  return response_format?.type === 'json_object' ? JSON.stringify({ answer: text.slice(0, 60) }) : undefined;
}

/** Returns OpenAI's error message for tool results without a call, or calls without a result. */
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
