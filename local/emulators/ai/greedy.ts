/**
 * The greediest provider there could be (`fault:greedy`): it counts a byte as a token, a picture as the most that any
 * provider counts, what a field makes it read in addition, and it puts out as much as the largest limit in the body allows,
 * for each answer. Credits must cover what it counts.
 */
export interface GreedyUsage {
  promptTokens: number;
  outputTokens: number;
}

/**
 * The most that a picture counts as, by the documentation of the provider: tiles or patches of the largest size at high
 * detail, times the model's factor. 0: the model has no eyes, and takes the base64 for text.
 */
const PICTURE_TOKENS: [model: RegExp, tokens: number][] = [
  [/^gpt-4o-mini/, 2_833 + 8 * 5_667],
  [/^gpt-(4o|4\.1|5)(-|$)/, Math.ceil(1_536 * 2.46)],
  [/^gpt-\d/, Math.ceil(10_000 * 2.46)],
  [/^claude-/, 4_784],
  [/^gemini-/, 16 * 258],
  [/^mistral-/, 64 * 64 + 64],
  [/^grok-/, 7 * 256],
  [/llama|gpt-oss|deepseek/i, 0],
];
const MAX_PICTURE_TOKENS = 2_833 + 8 * 5_667;
/** A system prompt and markers of the conversation that a provider adds. */
const ADDED_TOKENS = 500;
/** A document, a recording, a search: whatever a field makes a provider read that was not sent. */
const SURCHARGE_TOKENS = 1_000_000;
/** The most that is read of a schema. */
const MAX_SCHEMA_TOKENS = 4_000;
/** Output where nothing limits it. */
const UNLIMITED = 1_000_000;

const LIMITS = /^(max_(completion_|output_|new_)?tokens|maxOutputTokens|budget_tokens|num_predict)$/;
const ANSWERS = /^(n|best_of|num_generations|candidate_?count)$/i;
const FREE_TIERS = ['default', 'standard', 'on_demand'];
const HARMLESS_TYPES =
  /^(text|image_url|image|base64|url|refusal|function|json_schema|json_object|url_citation|object|string|message|disabled)$/;
/** Fields that make providers read, search, keep or answer more, or at a higher price. */
const SURCHARGED =
  /^(web_search.*|search_.*|plugins|extra_body|cached_content|documents?|files?|file_ids|attachments|prediction|audio|container|mcp_servers|previous_response_id|conversation|prompt|context_management|speed|inference_geo|route|models|provider|transforms|cache_control|prompt_cache_retention|background|include)$/;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

interface Found {
  base64Bytes: number;
  pictures: number;
  addresses: number;
  surcharges: number;
  limits: number[];
  answers: number[];
}

/** A JSON schema is text, whatever its members are called. */
const TEXT_FIELDS = ['parameters', 'schema', 'metadata', 'logit_bias', 'input_schema'];

function inspectPicture({ type, image_url, source }: Record<string, unknown>, found: Found): void {
  if ((image_url ?? source ?? null) === null) return;
  found.pictures += 1;
  const url = isObject(image_url) ? image_url.url : isObject(source) ? source.data : undefined;
  if (type !== 'image_url' && type !== 'image') found.surcharges += 1;
  else if (typeof url === 'string' && (isObject(source) || url.startsWith('data:'))) {
    found.base64Bytes += Buffer.byteLength(url.slice(url.indexOf(',') + 1));
  } else found.addresses += 1;
}

/** Returns how many of a value's fields have a value that makes a provider do more. */
function countSurcharged({ type, detail, service_tier, modalities }: Record<string, unknown>): number {
  const surcharged = [
    typeof type === 'string' && !HARMLESS_TYPES.test(type),
    typeof detail === 'string' && !['auto', 'low', 'high'].includes(detail),
    service_tier !== undefined && service_tier !== null && !FREE_TIERS.includes(String(service_tier)),
    Array.isArray(modalities) && modalities.some((each) => each !== 'text'),
  ];
  return surcharged.filter(Boolean).length;
}

function inspect(value: unknown, found: Found): void {
  if (Array.isArray(value)) {
    for (const each of value) inspect(each, found);
    return;
  }
  if (!isObject(value)) return;
  inspectPicture(value, found);
  found.surcharges += countSurcharged(value);
  for (const [key, each] of Object.entries(value)) {
    if (TEXT_FIELDS.includes(key)) continue;
    if (LIMITS.test(key)) found.limits.push(Number(each) || UNLIMITED);
    if (ANSWERS.test(key)) found.answers.push(Number(each) || 1);
    if (SURCHARGED.test(key) && each !== null && each !== false) found.surcharges += 1;
    inspect(each, found);
  }
}

/** Reads a schema with every reference replaced by what it refers to, and counts its bytes until it has read enough. */
function countUnfolded(root: unknown, value: unknown, budget: { left: number }): void {
  if (budget.left <= 0) return;
  if (!isObject(value)) {
    budget.left -= String(value).length;
    return;
  }
  for (const [key, each] of Object.entries(value)) {
    budget.left -= key.length + 1;
    if (key === '$ref' && typeof each === 'string') {
      const names = each.split('/').slice(1);
      const target = names.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), root);
      if (isObject(target)) countUnfolded(root, target, budget);
    } else countUnfolded(root, each, budget);
  }
}

/** Tokens of the schemas below a value, unfolded; those without references are counted with the body. */
function countSchemas(value: unknown): number {
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce((sum, [key, each]) => {
    if (key !== 'parameters' && key !== 'schema') return sum + countSchemas(each);
    if (!JSON.stringify(each).includes('"$ref":"')) return sum;
    const budget = { left: MAX_SCHEMA_TOKENS };
    countUnfolded(each, each, budget);
    return sum + MAX_SCHEMA_TOKENS - Math.max(0, budget.left);
  }, 0);
}

/** Returns what the greediest provider would count of a body that it was sent. */
export function countGreedily(body: string): GreedyUsage {
  const found: Found = { base64Bytes: 0, pictures: 0, addresses: 0, surcharges: 0, limits: [], answers: [] };
  const document: unknown = JSON.parse(body);
  inspect(document, found);
  const model = String(isObject(document) ? document.model : '');
  const picture = PICTURE_TOKENS.find(([known]) => known.test(model))?.[1] ?? MAX_PICTURE_TOKENS;
  const pictures = picture === 0 ? 0 : found.pictures * picture - found.base64Bytes;
  // Google reads what is behind an address, whatever it is.
  if (model.startsWith('gemini-')) found.surcharges += found.addresses;
  return {
    promptTokens:
      Buffer.byteLength(body) + countSchemas(document) + pictures + ADDED_TOKENS + found.surcharges * SURCHARGE_TOKENS,
    outputTokens: Math.max(...(found.limits.length > 0 ? found.limits : [UNLIMITED])) * Math.max(1, ...found.answers),
  };
}

/**
 * Returns what a requested fault makes a provider count: `fault:greedy` all that it could, `fault:overcount=9` nine tokens
 * more of the prompt than there can be; what was read and written otherwise.
 */
export function countAs(
  { name, value = 0 }: { name: string; value: number | undefined },
  body: unknown,
  read: GreedyUsage,
): GreedyUsage {
  if (name === 'greedy') return countGreedily(JSON.stringify(body));
  return name === 'overcount' ? { ...read, promptTokens: read.promptTokens + value } : read;
}
