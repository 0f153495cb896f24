import { buildOpenApi } from './openapi.ts';

/** The page is text and style only: no script may run on it. */
export const securityHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'public, max-age=60',
};

const html = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  default?: unknown;
  description?: string;
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters: { name: string; in: string; required: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

/** A schema in a few words: `string`, `Application`, `"24" | "22"`. */
function describeSchema(schema: Schema): string {
  if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map(describeSchema).join(' | ');
  if (schema.items) return `${describeSchema(schema.items)}[]`;
  return [schema.type ?? 'any'].flat().join(' | ');
}

function renderTable(schema: Schema | undefined, title: string): string {
  if (!schema?.properties) return '';
  const note = schema.description ? `<p>${html(schema.description)}</p>` : '';
  const rows = Object.entries(schema.properties).map(([name, of]) => {
    const required = schema.required?.includes(name) ? 'required' : '';
    const fallback = of.default === undefined ? '' : `default ${JSON.stringify(of.default)}`;
    const notes = [required, fallback, of.description ?? ''].filter(Boolean).join(' · ');
    return `<tr><td><code>${html(name)}</code></td><td>${html(describeSchema(of))}</td><td>${html(notes)}</td></tr>`;
  });
  return `<h4>${title}</h4>${note}<table>${rows.join('')}</table>`;
}

function renderSection(path: string, method: string, operation: Operation): string {
  const properties = Object.fromEntries(operation.parameters.map(({ name, schema }) => [name, schema]));
  const required = operation.parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  const success = Object.entries(operation.responses).find(([status]) => status !== 'default');
  return `<section id="${operation.operationId}"><h3><b class="${method}">${method.toUpperCase()}</b> <code>${html(path)}</code></h3>
<p>${html(operation.summary)}. ${html(operation.description).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>
${renderTable({ properties, required }, 'Parameters')}
${renderTable(operation.requestBody?.content['application/json']?.schema, 'Body')}
${renderTable(success?.[1].content?.['application/json']?.schema, `Answer ${success?.[0]}`)}</section>`;
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem;color:#1a1f29;background:#fff}
h1{margin-bottom:0}section{border-top:1px solid #d9dee6;padding:1rem 0}h4{margin:.75rem 0 .25rem}table{border-collapse:collapse;width:100%;font-size:.9rem}
td{border-top:1px solid #eceff3;padding:.3rem .5rem .3rem 0;vertical-align:top}code{background:#f2f4f7;padding:.1rem .3rem;border-radius:4px;font-size:.9em}
b{font-size:.75rem;padding:.2rem .5rem;border-radius:4px;color:#fff;background:#4a5568}.get{background:#1f6f43}.post{background:#1d4f91}.delete{background:#9b2226}
nav a{display:inline-block;margin-right:1rem}a{color:#1d4f91}`;

function render(): string {
  const document = buildOpenApi('', '');
  const paths = Object.entries(document.paths as Record<string, Record<string, Operation>>);
  const operations = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))];
  const groups = tags.map((tag) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag));
    return `<h2 id="${html(tag)}">${html(tag)}</h2>${own.map((one) => renderSection(one.path, one.method, one.operation)).join('')}`;
  });
  const schemas = Object.entries((document.components as { schemas: Record<string, Schema> }).schemas);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Hosting Platform API</title><style>${STYLE}</style></head><body><h1>Hosting Platform API</h1>
<p>The same as an <a href="/v1/openapi.json">OpenAPI 3.1 document</a>. Send a secret key as <code>Authorization: Bearer sk_live_…</code>.</p>
<nav>${tags.map((tag) => `<a href="#${html(tag)}">${html(tag)}</a>`).join('')}<a href="#schemas">Resources</a></nav>
${groups.join('')}<h2 id="schemas">Resources</h2>${schemas.map(([name, schema]) => `<section id="${name}">${renderTable(schema, name)}</section>`).join('')}</body></html>`;
}

/** The documentation as one HTML page, made from the same document that `/v1/openapi.json` serves. */
export const page = render();
