import { entryOf } from '../enums.ts';
import { isObject } from '../json.ts';

/**
 * The allowlist for chat requests on AI credits: every field, message field and content part that the platform can price, each with
 * its type and limit. For these, a provider charges only the bytes of the prompt, the images and the output, which the hold covers
 * (docs/decisions/0029-ai-credits-cannot-be-overdrawn.md). Request fields that are known to cost or do more, and unknown fields
 * inside another field, require the caller's own provider key. Unknown request fields are left out. A field with the value `null`
 * counts as absent.
 */

/** A field that may not be sent on credits: its cost is unknown (`unpriced`), or it is malformed. */
export interface FieldProblem {
  /** `messages.0.content.1.type` */
  field: string;
  reason: string;
  unpriced: boolean;
}

/** Returns the first problem of a value at a path, or undefined. */
type Check = (value: unknown, field: string) => FieldProblem | undefined;

/** The maximum nesting of a JSON value from the caller, such as a schema. A much deeper value cannot be serialized. */
export const MAX_DEPTH = 100;

const malformed = (field: string, reason: string): FieldProblem => ({ field, reason, unpriced: false });
const unpriced = (field: string): FieldProblem => ({ field, reason: 'is not available on AI credits', unpriced: true });

const flag: Check = (value, field) => (typeof value === 'boolean' ? undefined : malformed(field, 'must be a boolean'));

const text =
  (maxLength = Number.POSITIVE_INFINITY): Check =>
  (value, field) => {
    if (typeof value !== 'string') return malformed(field, 'must be a string');
    return value.length > maxLength ? malformed(field, `must have at most ${maxLength} characters`) : undefined;
  };

const number =
  (min: number, max: number): Check =>
  (value, field) => {
    if (typeof value !== 'number') return malformed(field, 'must be a number');
    return value >= min && value <= max ? undefined : malformed(field, `must be from ${min} to ${max}`);
  };

const integer =
  (min: number, max: number): Check =>
  (value, field) =>
    Number.isSafeInteger(value) ? number(min, max)(value, field) : malformed(field, 'must be a whole number');

/** One of the values that are known to cost nothing extra. Any other string is unpriced. */
const oneOf =
  (...values: string[]): Check =>
  (value, field) => {
    if (typeof value !== 'string') return malformed(field, 'must be a string');
    if (values.includes(value)) return undefined;
    return { ...unpriced(field), reason: `must be one of ${values.join(', ')} on AI credits` };
  };

const list =
  (checkEntry: Check, max: number): Check =>
  (value, field) => {
    if (!Array.isArray(value)) return malformed(field, 'must be an array');
    if (value.length > max) return malformed(field, `must have at most ${max} entries`);
    for (const [index, entry] of value.entries()) {
      const problem = checkEntry(entry, `${field}.${index}`);
      if (problem) return problem;
    }
    return undefined;
  };

const map =
  (checkEntry: Check, max: number): Check =>
  (value, field) => {
    if (!isObject(value)) return malformed(field, 'must be an object');
    const entries = Object.entries(value);
    if (entries.length > max) return malformed(field, `must have at most ${max} entries`);
    for (const [key, entry] of entries) {
      const problem = checkEntry(entry, `${field}.${key}`);
      if (problem) return problem;
    }
    return undefined;
  };

/** An object with only these fields; others are allowed if `isIgnored` returns true for them. */
const fields =
  (known: Record<string, Check>, isIgnored: (key: string) => boolean = () => false): Check =>
  (value, field) => {
    if (!isObject(value)) return malformed(field, 'must be an object');
    for (const key of Object.keys(value)) {
      const entry = value[key];
      const check = entryOf(known, key);
      if (entry === null || (!check && isIgnored(key))) continue;
      const path = field === '' ? key : `${field}.${key}`;
      const problem = check ? check(entry, path) : unpriced(path);
      if (problem) return problem;
    }
    return undefined;
  };

/**
 * An object whose `type` determines its fields. A type that is not listed is unpriced.
 *
 * @param implied the type of an object that has no `type`, but a field with the name of this type
 */
function variants(
  byType: Record<string, Record<string, Check>>,
  implied?: string,
  isIgnored?: (key: string) => boolean,
): Check {
  const checks = new Map(
    Object.entries(byType).map(([type, known]) => [type, fields({ type: text(), ...known }, isIgnored)]),
  );
  return (value, field) => {
    if (!isObject(value)) return malformed(field, 'must be an object');
    const type = value.type ?? (implied && Object.hasOwn(value, implied) ? implied : undefined);
    if (typeof type !== 'string') return malformed(`${field}.type`, 'must be a string');
    const check = checks.get(type);
    return check ? check(value, field) : unpriced(`${field}.type`);
  };
}

/** A string or what `other` accepts. */
const textOr =
  (other: Check, expected: string): Check =>
  (value, field) => {
    if (typeof value === 'string') return undefined;
    return typeof value === 'object' ? other(value, field) : malformed(field, `must be a string or ${expected}`);
  };

/** Returns true if a JSON value is nested deeper than `levels`. It does not descend any further than that. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((child) => isDeeperThan(child, levels - 1));
}

/** An object of any JSON. The model reads it as text, so it is priced by its bytes. */
const json: Check = (value, field) => {
  if (!isObject(value)) return malformed(field, 'must be an object');
  return isDeeperThan(value, MAX_DEPTH) ? malformed(field, `must not be nested deeper than ${MAX_DEPTH}`) : undefined;
};

/**
 * Returns true for a property with a parsed value that OpenAI's clients add next to the text of a response. Programs append such
 * responses to a conversation. The property is never sent on credits.
 */
export const isAddedByClients = (key: string): boolean => key === 'parsed' || key === 'parsed_arguments';

const COPIED_TO_PARTS: ReadonlySet<string> = new Set(
  'role refusal annotations reasoning reasoning_content reasoning_details extra_content parsed'.split(' '),
);

/**
 * Returns true for a property that OpenAI's agents copy from a response into its text parts, when they append the response to a
 * conversation. The property is never sent on credits.
 */
export const isCopiedToPart = (key: string, type: unknown): boolean => key !== type && COPIED_TO_PARTS.has(key);

const func = fields({ name: text(), description: text(), parameters: json, strict: flag });
const position = integer(0, 1_000_000_000);
const citation = fields({ url: text(), title: text(), content: text(), start_index: position, end_index: position });
const calledFunction = fields({ name: text(), arguments: text() }, isAddedByClients);

const part = variants(
  {
    text: { text: text() },
    image_url: { image_url: fields({ url: text(), detail: oneOf('auto', 'low', 'high') }) },
    refusal: { refusal: text() },
  },
  undefined,
  (key) => COPIED_TO_PARTS.has(key),
);

/** The thought signature of Google's models, without which they refuse the tool calls of a conversation. */
const signature = fields({ google: fields({ thought_signature: text() }) });

/** A message. Fields from providers' responses are accepted, because clients append those responses to the conversation. */
const message = fields(
  {
    role: text(),
    content: textOr(list(part, Number.POSITIVE_INFINITY), 'an array of parts'),
    name: text(),
    refusal: text(),
    reasoning: text(),
    reasoning_content: text(),
    extra_content: signature,
    prefix: flag,
    annotations: list(variants({ url_citation: { url_citation: citation } }), Number.POSITIVE_INFINITY),
    tool_call_id: text(),
    function_call: calledFunction,
    tool_calls: list(
      variants(
        {
          function: {
            id: text(),
            index: integer(0, 1_000_000),
            function: calledFunction,
            extra_content: signature,
          },
        },
        'function',
      ),
      Number.POSITIVE_INFINITY,
    ),
  },
  isAddedByClients,
);

const MAX_TOOLS = 128;
/** The name of a function that `tools` defines. */
const namedFunction = { function: { function: fields({ name: text() }) } };
const MAX_LABEL = 1024;

/** The fields of a request. The fields that the gateway reads are already validated by contract/ai/chat.ts. */
const REQUEST_FIELDS: Record<string, Check> = {
  model: text(),
  messages: list(message, Number.POSITIVE_INFINITY),
  max_tokens: integer(1, 10_000_000),
  max_completion_tokens: integer(1, 10_000_000),
  n: integer(1, 128),
  stream: flag,
  stream_options: fields({ include_usage: flag, include_obfuscation: flag }),
  stop: textOr(list(text(), 64), 'an array of strings'),
  temperature: number(0, 2),
  top_p: number(0, 1),
  top_k: integer(0, 1_000_000),
  min_p: number(0, 1),
  frequency_penalty: number(-2, 2),
  presence_penalty: number(-2, 2),
  repetition_penalty: number(0, 10),
  seed: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  random_seed: integer(0, Number.MAX_SAFE_INTEGER),
  logprobs: flag,
  top_logprobs: integer(0, 20),
  logit_bias: map(number(-100, 100), 4096),
  response_format: variants({
    text: {},
    json_object: {},
    json_schema: { json_schema: fields({ name: text(), description: text(), schema: json, strict: flag }) },
  }),
  tools: list(variants({ function: { function: func } }), MAX_TOOLS),
  tool_choice: textOr(
    variants({
      ...namedFunction,
      allowed_tools: {
        allowed_tools: fields({ mode: oneOf('auto', 'required'), tools: list(variants(namedFunction), MAX_TOOLS) }),
      },
    }),
    'an object',
  ),
  parallel_tool_calls: flag,
  functions: list(func, MAX_TOOLS),
  function_call: textOr(fields({ name: text() }), 'an object'),
  reasoning_effort: oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'default'),
  verbosity: oneOf('low', 'medium', 'high'),
  modalities: list(oneOf('text'), 4),
  // `auto` selects the tier of the provider's project, which is `default` in the platform's projects.
  service_tier: oneOf('auto', 'default'),
  store: flag,
  metadata: map(text(MAX_LABEL), 64),
  user: text(MAX_LABEL),
  safety_identifier: text(MAX_LABEL),
  prompt_cache_key: text(MAX_LABEL),
};

/** Provider fields that change the cost or the form of the response. They are refused on credits, not left out silently. */
const OWN_KEY_FIELDS: ReadonlySet<string> = new Set(
  `audio background best_of cache_control cached_content conversation documents enable_search
   extra_body fallbacks file_ids inference_geo models plugins prediction previous_response_id
   prompt prompt_cache_retention provider route safety_settings search_parameters speed thinking
   transforms web_search web_search_options`.split(/\s+/),
);

/** Returns true for a request field that is left out on credits, because no provider is known to use it. */
export const isLeftOut = (field: string): boolean =>
  !Object.hasOwn(REQUEST_FIELDS, field) && !OWN_KEY_FIELDS.has(field);

const request = fields(REQUEST_FIELDS, isLeftOut);

/** The names of the fields that a request on credits may have. */
export const CREDIT_FIELDS: readonly string[] = Object.keys(REQUEST_FIELDS);

/** Returns the first field of a request that may not be sent on credits; undefined if there is none. */
export const findFieldProblem = (body: object): FieldProblem | undefined => request(body, '');
