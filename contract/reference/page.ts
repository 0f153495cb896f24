import type { Route } from '../route.ts';
import { Examples } from './examples.ts';
import { errorsOf } from './failures.ts';
import { guides } from './guides.ts';
import { html, pre, prose } from './html.ts';
import { buildOpenApi, documentPath, operationsOf } from './openapi.ts';
import { script } from './page-script.ts';
import { style } from './page-style.ts';
import { LANGUAGES, type Language, type Sample, writeSample } from './samples.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  default?: unknown;
  description?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: Schema;
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

interface Document {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** Returns a short HTML description of a schema: `string`, a link to `Application`, `"24" | "22"`. */
function describeSchema(schema: Schema): string {
  if (schema.$ref) {
    const name = html(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1));
    return `<a href="#${name}">${name}</a>`;
  }
  if (schema.enum) return schema.enum.map((value) => html(JSON.stringify(value))).join(' | ');
  if (schema.const !== undefined) return html(JSON.stringify(schema.const));
  if (schema.anyOf) return schema.anyOf.map(describeSchema).join(' | ');
  if (schema.items) return `array of ${describeSchema(schema.items)}`;
  const { minimum, maximum, minLength, maxLength } = schema;
  const [min, max] = [minimum ?? minLength, maximum ?? maxLength];
  const unit = schema.type === 'string' ? ' characters' : '';
  const isBounded = max !== undefined && max < Number.MAX_SAFE_INTEGER;
  return [schema.type ?? 'any'].flat().join(' | ') + (isBounded ? `, ${min ?? 0}–${max}${unit}` : '');
}

function rowsOf({ properties = {}, required = [] }: Schema, prefix = ''): string {
  return Object.entries(properties)
    .map(([name, field]) => {
      const fallback = field.default === undefined ? '' : `default \`${JSON.stringify(field.default)}\``;
      const requirement = required.includes(name) && field.default === undefined ? 'required' : '';
      const notes = [requirement, fallback, field.description ?? ''].filter(Boolean).join(' · ');
      const row = `<tr><td><code>${html(prefix + name)}</code></td><td>${describeSchema(field)}</td><td>${prose(notes)}</td></tr>`;
      const inner = field.properties ? rowsOf(field, `${prefix}${name}.`) : '';
      return row + inner + (field.items?.properties ? rowsOf(field.items, `${prefix}${name}[].`) : '');
    })
    .join('');
}

const renderTable = (schema: Schema | undefined, title: string): string =>
  schema?.properties && Object.keys(schema.properties).length > 0
    ? `<h4>${title}</h4>${schema.description ? `<p class="soft">${prose(schema.description)}</p>` : ''}<table>${rowsOf(schema)}</table>`
    : '';

const renderSamples = (sample: Sample, baseUrl: string): string =>
  (Object.keys(LANGUAGES) as Language[])
    .map((language) => pre(writeSample(language, sample, baseUrl), language))
    .join('');

function renderTry(route: Route, path: string, parameters: readonly Parameter[], body: unknown): string {
  if (route.access === 'hook' || !route.response) return '';
  const fields = parameters
    .filter((parameter) => parameter.in !== 'header')
    .map(
      ({ name, in: location, required }) =>
        `<label>${html(name)} <input name="${location}.${html(name)}"${required ? ' required' : ''}></label>`,
    );
  const text =
    body === undefined
      ? ''
      : `<label>Body <textarea name="body">${html(JSON.stringify(body, null, 2))}</textarea></label>`;
  return `<details class="script"><summary>Try it</summary><form class="try" data-method="${route.method}" data-path="${html(path)}" data-access="${route.access}">${fields.join('')}${text}
<button>Send ${route.method}</button> <span class="soft">A real request, with your key or login.</span><output></output></form></details>`;
}

function renderOperation(route: Route, document: Document, examples: Examples, baseUrl: string): string {
  const path = documentPath(route);
  const operation = document.paths[path]?.[route.method.toLowerCase()];
  if (!operation) return '';
  const parameters = operation.parameters.flatMap((parameter) => ('name' in parameter ? [parameter] : []));
  const schema = operation.requestBody?.content['application/json']?.schema;
  const body = schema && examples.bodyOf(route.id, schema);
  const exampleOf = (parameter: Parameter) => String(examples.valueOf(parameter.schema, parameter.name));
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const sample: Sample = {
    method: route.method,
    body,
    streamed: false,
    path: inPath.reduce((filled, parameter) => filled.replace(`{${parameter.name}}`, exampleOf(parameter)), path),
    query: Object.fromEntries(inQuery.map((parameter) => [parameter.name, exampleOf(parameter)])),
    credential: route.access === 'catalogue' ? 'public' : ['none', 'hook'].includes(route.access) ? 'none' : 'secret',
  };
  const success = operation.responses[String(route.status)]?.content?.['application/json']?.schema;
  const codes = errorsOf(route).map((code) => `<a href="#errors"><code>${code}</code></a>`);
  const table = {
    properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
  const response = success
    ? `<h4>Response ${route.status}</h4>${pre(JSON.stringify(examples.valueOf(success, '', 'all'), null, 2))}`
    : '';
  return `<section id="${route.id}"><h3><span class="method ${route.method.toLowerCase()}">${route.method}</span> <code>${html(path)}</code></h3>
<p>${prose(operation.description)}</p><div class="two"><div>${renderTable(table, 'Parameters')}${renderTable(schema, 'Body')}<h4>Errors</h4><p>${codes.join(' ')}</p></div>
<div>${renderSamples(sample, baseUrl)}${response}${renderTry(route, path, parameters, body)}</div></div></section>`;
}

/** Returns the reference page of the platform's API, built from the OpenAPI document of `/v1/openapi.json`. */
export function renderPage(baseUrl: string): string {
  const document = buildOpenApi(baseUrl, '') as unknown as Document;
  const { schemas } = document.components;
  const examples = new Examples(schemas);
  const operations = operationsOf('platform');
  const tags = document.tags.filter(({ name }) => operations.some(({ tag }) => tag === name));
  const groups = tags.map(({ name, description }) => {
    const tagged = operations.filter(({ tag }) => tag === name);
    return `<h2>${html(name)}</h2><p class="soft">${prose(description)}</p>${tagged.map((route) => renderOperation(route, document, examples, baseUrl)).join('')}`;
  });
  const texts = guides(baseUrl);
  const links = [
    '<b>Guides</b>',
    ...texts.map(({ id, title }) => `<a href="#${id}">${html(title)}</a>`),
    ...tags.flatMap(({ name }) => [
      `<b>${html(name)}</b>`,
      ...operations
        .filter(({ tag }) => tag === name)
        .map(({ id, summary }) => `<a href="#${id}">${prose(summary.split(/[;:,?]/)[0] ?? id)}</a>`),
    ]),
    '<b>Resources</b>',
    ...Object.keys(schemas).map((name) => `<a href="#${html(name)}">${html(name)}</a>`),
  ];
  const chosen = Object.entries(LANGUAGES).map(([id, name]) => `<button data-choose="${id}">${name}</button>`);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Hosting Platform API</title><link rel="icon" href="/dashboard/icon.svg" type="image/svg+xml"><style>${style}</style></head><body data-language="curl">
<header><h1>Hosting Platform API</h1><span class="script">${chosen.join('')}<input id="key" aria-label="Your secret key" placeholder="Your key: sk_live_…" autocomplete="off" spellcheck="false">
<input id="search" type="search" aria-label="Search" placeholder="Search ( / )"></span><a href="/dashboard">Dashboard</a></header>
<div class="page"><nav aria-label="Contents">${links.join('')}</nav><main>
<p>This reference is also available as an <a href="/v1/openapi.json">OpenAPI 3.1 document</a>. The operations of the dashboard have <a href="/dashboard/v1/openapi.json">their own document</a>. <span id="who" class="soft"></span></p><p id="none" hidden>No results.</p>
${texts.map(({ id, title, text }) => `<section id="${id}"><h2>${html(title)}</h2>${text}</section>`).join('')}
${groups.join('')}<h2>Resources</h2>${Object.entries(schemas)
    .map(
      ([name, schema]) =>
        `<section id="${html(name)}">${renderTable(schema, html(name)) || `<h4>${html(name)}</h4>`}</section>`,
    )
    .join('')}</main></div><script>${script}</script></body></html>`;
}

/** Returns the headers of the reference page. @param scriptHash SHA-256 of {@link script} in base64: no other script may run. */
export const pageHeaders = (scriptHash: string): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; script-src 'sha256-${scriptHash}'; connect-src 'self'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'cache-control': 'public, max-age=60',
});
