/**
 * Usage that the most expensive provider imaginable would report (`fault:greedy`). Each byte is a token. Each image counts as
 * much as it does at most at the model's provider. All content that a field makes a provider read counts in addition. Each
 * choice is as long as the largest limit in the body allows. The hold on credits must cover this usage.
 */
export interface Usage {
  promptTokens: number;
  outputTokens: number;
}

/**
 * The most tokens that an image counts as, according to the provider's documentation: tiles or patches of the largest size at
 * high detail, times the model's factor. 0: the model reads no images and treats the base64 as text.
 */
const IMAGE_TOKENS: [model: RegExp, tokens: number][] = [
  [/^gpt-4o-mini/, 2_833 + 8 * 5_667],
  [/^gpt-(4o|4\.1|5)(-|$)/, Math.ceil(1_536 * 2.46)],
  [/^gpt-\d/, Math.ceil(10_000 * 2.46)],
  [/^claude-/, 4_784],
  [/^gemini-/, 16 * 258],
  [/^mistral-/, 64 * 64 + 64],
  [/^grok-/, 7 * 256],
  [/llama|gpt-oss|deepseek/i, 0],
];
const MAX_IMAGE_TOKENS = 2_833 + 8 * 5_667;
/** Tokens of the system prompt and conversation markers that a provider adds. */
const ADDED_TOKENS = 500;
/** Tokens of content that a field makes a provider read although it is not in the body: a document, a recording, a search. */
const SURCHARGE_TOKENS = 1_000_000;
/** The most tokens that are counted of a schema. */
const MAX_SCHEMA_TOKENS = 4_000;
/** Output tokens if the body sets no limit. */
const DEFAULT_OUTPUT_TOKENS = 1_000_000;

const LIMITS = /^(max_(completion_|output_|new_)?tokens|maxOutputTokens|budget_tokens|num_predict)$/;
const CHOICES = /^(n|best_of|num_generations|candidate_?count)$/i;
const FREE_TIERS = ['default', 'standard', 'on_demand'];
const HARMLESS_TYPES =
  /^(text|image_url|image|base64|url|refusal|function|json_schema|json_object|url_citation|object|string|message|disabled)$/;
/** Fields that make providers read, search, store or generate more, or charge a higher price. */
const SURCHARGED =
  /^(web_search.*|search_.*|plugins|extra_body|cached_content|documents?|files?|file_ids|attachments|prediction|audio|container|mcp_servers|previous_response_id|conversation|prompt|context_management|speed|inference_geo|route|models|provider|transforms|cache_control|prompt_cache_retention|background|include)$/;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

interface Found {
  base64Bytes: number;
  images: number;
  addresses: number;
  surcharges: number;
  limits: number[];
  choices: number[];
}

/** Fields whose value is plain text to a provider. A JSON schema is text, whatever its properties are called. */
const TEXT_FIELDS = ['parameters', 'schema', 'metadata', 'logit_bias', 'input_schema'];

function inspectImage({ type, image_url, source }: Record<string, unknown>, found: Found): void {
  if ((image_url ?? source ?? null) === null) return;
  found.images += 1;
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
  inspectImage(value, found);
  found.surcharges += countSurcharged(value);
  for (const [key, each] of Object.entries(value)) {
    if (TEXT_FIELDS.includes(key)) continue;
    if (LIMITS.test(key)) found.limits.push(Number(each) || DEFAULT_OUTPUT_TOKENS);
    if (CHOICES.test(key)) found.choices.push(Number(each) || 1);
    if (SURCHARGED.test(key) && each !== null && each !== false) found.surcharges += 1;
    inspect(each, found);
  }
}

/** Subtracts the length of a schema with all references resolved from the budget. Stops when the budget is used up. */
function countDereferenced(root: unknown, value: unknown, budget: { left: number }): void {
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
      if (isObject(target)) countDereferenced(root, target, budget);
    } else countDereferenced(root, each, budget);
  }
}

/** Counts the tokens of the schemas in a value that have references, dereferenced. The body's bytes cover the other schemas. */
function countSchemas(value: unknown): number {
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce((sum, [key, each]) => {
    if (key !== 'parameters' && key !== 'schema') return sum + countSchemas(each);
    if (!JSON.stringify(each).includes('"$ref":"')) return sum;
    const budget = { left: MAX_SCHEMA_TOKENS };
    countDereferenced(each, each, budget);
    return sum + MAX_SCHEMA_TOKENS - Math.max(0, budget.left);
  }, 0);
}

/** Returns the usage that the greediest provider would report for a request's body. */
export function countGreedily(body: string): Usage {
  const found: Found = { base64Bytes: 0, images: 0, addresses: 0, surcharges: 0, limits: [], choices: [] };
  const document: unknown = JSON.parse(body);
  inspect(document, found);
  const model = String(isObject(document) ? document.model : '');
  const tokensPerImage = IMAGE_TOKENS.find(([known]) => known.test(model))?.[1] ?? MAX_IMAGE_TOKENS;
  const images = tokensPerImage === 0 ? 0 : found.images * tokensPerImage - found.base64Bytes;
  // Google fetches and reads any URL, not only images.
  if (model.startsWith('gemini-')) found.surcharges += found.addresses;
  return {
    promptTokens:
      Buffer.byteLength(body) + countSchemas(document) + images + ADDED_TOKENS + found.surcharges * SURCHARGE_TOKENS,
    outputTokens:
      Math.max(...(found.limits.length > 0 ? found.limits : [DEFAULT_OUTPUT_TOKENS])) * Math.max(1, ...found.choices),
  };
}

/**
 * Returns the usage that a provider reports: with `fault:greedy` the greediest, with `fault:overcount=9` nine prompt tokens
 * too many, and otherwise the actual usage.
 */
export function reportedUsage(
  { name, value = 0 }: { name: string; value: number | undefined },
  body: unknown,
  actual: Usage,
): Usage {
  if (name === 'greedy') return countGreedily(JSON.stringify(body));
  return name === 'overcount' ? { ...actual, promptTokens: actual.promptTokens + value } : actual;
}
