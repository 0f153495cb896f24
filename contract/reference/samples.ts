import type { Json } from './components.ts';

/** A call of an operation, for the code samples. */
export interface Sample {
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
  credential: 'secret' | 'public' | 'none';
  streamed: boolean;
}

/** Placeholders for keys. The page's script replaces them with the reader's keys. */
export const SECRET_KEY = 'sk_live_YOUR_SECRET_KEY';
const PUBLIC_KEY = 'pk_live_YOUR_PUBLIC_KEY';

export const LANGUAGES = { curl: 'curl', typescript: 'TypeScript', python: 'Python' } as const;
export type Language = keyof typeof LANGUAGES;

const headersOf = ({ credential, body }: Sample): [string, string][] => [
  ...(credential === 'secret' ? ([['Authorization', `Bearer ${SECRET_KEY}`]] as [string, string][]) : []),
  ...(credential === 'public' ? ([['X-Public-Key', PUBLIC_KEY]] as [string, string][]) : []),
  ...(body === undefined ? [] : ([['Content-Type', 'application/json']] as [string, string][])),
];

const urlOf = ({ path, query }: Sample, baseUrl: string): string => {
  const search = new URLSearchParams(query).toString();
  return `${baseUrl}${path}${search ? `?${search}` : ''}`;
};

function curl(sample: Sample, baseUrl: string): string {
  const method = sample.method === 'GET' || (sample.method === 'POST' && sample.body) ? '' : `-X ${sample.method} `;
  const lines = [
    `curl ${sample.streamed ? '-N ' : ''}${method}'${urlOf(sample, baseUrl)}'`,
    ...headersOf(sample).map(([name, value]) => `  -H '${name}: ${value}'`),
    ...(sample.body === undefined ? [] : [`  -d '${JSON.stringify(sample.body, null, 2).replaceAll("'", `'\\''`)}'`]),
  ];
  return lines.join(' \\\n');
}

function typescript(sample: Sample, baseUrl: string): string {
  const headers = headersOf(sample).map(([name, value]) => `    '${name}': '${value}',`);
  const options = [
    ...(sample.method === 'GET' ? [] : [`  method: '${sample.method}',`]),
    ...(headers.length > 0 ? ['  headers: {', ...headers, '  },'] : []),
    ...(sample.body === undefined
      ? []
      : [`  body: JSON.stringify(${JSON.stringify(sample.body, null, 2).replaceAll('\n', '\n  ')}),`]),
  ];
  const call = `const response = await fetch('${urlOf(sample, baseUrl)}'${options.length > 0 ? `, {\n${options.join('\n')}\n}` : ''});`;
  return `${call}\nif (!response.ok) throw new Error((await response.json()).error.message);\nconst { data } = await response.json();`;
}

/** Returns a JSON value as a Python literal. */
function toPython(value: unknown, indentation = ''): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indentation}    `;
  const items = Array.isArray(value)
    ? value.map((entry) => toPython(entry, inner))
    : Object.entries(value as Json).map(([name, entry]) => `${JSON.stringify(name)}: ${toPython(entry, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return items.length === 0
    ? `${open}${close}`
    : `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indentation}${close}`;
}

function python(sample: Sample, baseUrl: string): string {
  const headers = Object.fromEntries(headersOf(sample).filter(([name]) => name !== 'Content-Type'));
  const lines = [
    `    "${urlOf(sample, baseUrl)}",`,
    ...(Object.keys(headers).length > 0 ? [`    headers=${toPython(headers, '    ')},`] : []),
    ...(sample.body === undefined ? [] : [`    json=${toPython(sample.body, '    ')},`]),
  ];
  return `import requests\n\nresponse = requests.${sample.method.toLowerCase()}(\n${lines.join('\n')}\n)\nresponse.raise_for_status()\ndata = response.json()["data"]`;
}

const WRITERS: Record<Language, (sample: Sample, baseUrl: string) => string> = { curl, typescript, python };

/** Returns the code of a call in a language. Responses of the AI gateway and the OpenAPI document have no `data`. */
export function writeSample(language: Language, sample: Sample, baseUrl: string): string {
  const text = WRITERS[language](sample, baseUrl);
  if (!sample.path.startsWith('/ai/') && !sample.path.endsWith('openapi.json')) return text;
  return text
    .replace('const { data } =', 'const result =')
    .replace('data = response.json()["data"]', 'result = response.json()');
}
