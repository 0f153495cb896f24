/** Parameters of the playground's calls, as text in the inputs. */
export interface PlaygroundSettings {
  system: string;
  temperature: string;
  maxTokens: string;
}

export const DEFAULT_SETTINGS: PlaygroundSettings = { system: '', temperature: '', maxTokens: '' };

/** Languages in which the code of a call can be copied. */
export const LANGUAGES = [
  { value: 'curl', label: 'curl' },
  { value: 'typescript', label: 'TypeScript' },
  { value: 'python', label: 'Python' },
] as const;
export type Language = (typeof LANGUAGES)[number]['value'];

interface Message {
  role: string;
  content: string;
}

/** Parses a number; undefined if the text is not a number in the range. */
function parseNumber(text: string, min: number, max: number): number | undefined {
  const number = Number(text.replace(',', '.'));
  return text.trim() !== '' && number >= min && number <= max ? number : undefined;
}

/** Returns a message if the settings are invalid; undefined if they are valid. */
export function settingsProblem({ temperature, maxTokens }: PlaygroundSettings): string | undefined {
  if (temperature.trim() !== '' && parseNumber(temperature, 0, 2) === undefined)
    return 'Temperature must be from 0 to 2.';
  const tokens = parseNumber(maxTokens, 1, 1_000_000);
  if (maxTokens.trim() !== '' && !Number.isInteger(tokens)) return 'Maximum tokens must be a whole number from 1.';
  return undefined;
}

/** Returns the request body that the playground and its code send. */
export function toRequest(model: string, messages: readonly Message[], settings: PlaygroundSettings) {
  const temperature = parseNumber(settings.temperature, 0, 2);
  const max_tokens = parseNumber(settings.maxTokens, 1, 1_000_000);
  const system = settings.system.trim();
  return {
    model,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...messages],
    ...(temperature === undefined ? {} : { temperature }),
    ...(max_tokens === undefined ? {} : { max_tokens }),
  };
}

/** Quotes a text for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns a program that sends a request, with the API key in the variable `HOSTING_API_KEY`. */
export function toCode(language: Language, baseUrl: string, request: ReturnType<typeof toRequest>): string {
  const json = JSON.stringify(request, null, 2);
  if (language === 'curl') {
    return [
      `curl ${baseUrl}/chat/completions \\`,
      '  -H "Authorization: Bearer $HOSTING_API_KEY" \\',
      "  -H 'Content-Type: application/json' \\",
      `  -d ${quote(json)}`,
    ].join('\n');
  }
  if (language === 'typescript') {
    return [
      "import OpenAI from 'openai';",
      '',
      `const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: process.env.HOSTING_API_KEY });`,
      `const completion = await client.chat.completions.create(${json});`,
      'console.log(completion.choices[0].message.content);',
    ].join('\n');
  }
  // JSON is valid Python here: the request has no booleans and no null.
  return [
    'import os',
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url="${baseUrl}", api_key=os.environ["HOSTING_API_KEY"])`,
    `completion = client.chat.completions.create(**${json})`,
    'print(completion.choices[0].message.content)',
  ].join('\n');
}
