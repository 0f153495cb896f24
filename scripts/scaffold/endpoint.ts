import { SCOPES } from '../../contract/route.ts';
import type { Tag } from '../../contract/tags.ts';
import { after, before, type Change, withImport } from './change.ts';
import { camel, kebab, plural, sentence, singular, UsageError } from './names.ts';

export interface EndpointOptions {
  /** HTTP method; it follows from the name's verb if absent. */
  method?: string | undefined;
  /** Path below the base URL; it follows from the name if absent. */
  path?: string | undefined;
  /** Scope of keys; `read` for GET and `write` for the rest if absent. */
  access?: string | undefined;
  /** An operation of the dashboard: for logins only, below /dashboard/v1. */
  dashboard?: boolean | undefined;
}

/** The shape of an operation by its method: its input, return type and status. */
interface Shape {
  method: string;
  isList: boolean;
  hasId: boolean;
  hasBody: boolean;
  status: number;
}

const SHAPES: Record<string, Partial<Shape> & { method: string }> = {
  get: { method: 'GET', hasId: true },
  list: { method: 'GET', isList: true },
  create: { method: 'POST', hasBody: true, status: 201 },
  add: { method: 'POST', hasBody: true, status: 201 },
  update: { method: 'PATCH', hasId: true, hasBody: true },
  replace: { method: 'PUT', hasId: true, hasBody: true },
  set: { method: 'PUT', hasId: true, hasBody: true },
  delete: { method: 'DELETE', hasId: true },
  remove: { method: 'DELETE', hasId: true },
};
/** Any other verb is an action on one resource: `restartApp` is `POST /v1/apps/{id}/restart`. */
const ACTION = { method: 'POST', hasId: true };

/** The tag of most operations of an area. */
const TAG_OF: Readonly<Record<string, Tag>> = {
  accounts: 'Account',
  ai: 'AI gateway',
  apps: 'Applications',
  billing: 'Billing',
  'custom-domains': 'Applications',
  databases: 'Databases',
  deployments: 'Deployments',
  dns: 'Domains and DNS',
  hosting: 'Web and email hosting',
  registrar: 'Domains and DNS',
  webhooks: 'Webhooks',
};

/** Derives the operation's shape and path from its name and the options. */
function operationOf(name: string, { method, path, dashboard }: EndpointOptions): Shape & { path: string } {
  const [verb = '', ...nouns] = kebab(name).split('-');
  if (nouns.length === 0) throw new UsageError(`${name}: a verb and a noun are required, such as getThing`);
  const usual = SHAPES[verb];
  const shape = { isList: false, hasId: false, hasBody: false, status: 200, ...(usual ?? ACTION) };
  const collection = plural(singular(nouns.join('-')));
  const action = usual ? '' : `/${verb}`;
  const derived = `${dashboard ? '/dashboard' : ''}/v1/${collection}${shape.hasId ? '/{id}' : ''}${action}`;
  const chosen = path ?? derived;
  if (!/^\/(?:dashboard\/)?v1\/[a-z0-9/{}-]+$/i.test(chosen))
    throw new UsageError('--path must begin with /v1/ or /dashboard/v1/');
  if (chosen.startsWith('/dashboard/') !== Boolean(dashboard))
    throw new UsageError('--path below /dashboard/v1 goes with --dashboard');
  const others = [...chosen.matchAll(/\{(\w+)\}/g)].filter(([, parameter]) => parameter !== 'id');
  if (others.length > 0)
    throw new UsageError('--path may have the one parameter {id}; add others to the route afterwards');
  const upper = method?.toUpperCase() ?? shape.method;
  if (!['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(upper))
    throw new UsageError(`--method ${method}: no such method`);
  const hasBody = shape.hasBody && upper !== 'GET' && upper !== 'DELETE';
  return { ...shape, method: upper, hasBody, hasId: chosen.includes('{id}'), path: chosen };
}

/** Derives the access of an operation. @throws UsageError for another one, whose route and tests look otherwise */
function accessOf(method: string, { access, dashboard }: EndpointOptions): string {
  const usual = dashboard ? 'login' : method === 'GET' ? 'read' : 'write';
  const possible: readonly string[] = dashboard ? ['login'] : SCOPES;
  if (access !== undefined && !possible.includes(access))
    throw new UsageError(`--access must be one of ${possible.join(', ')}; change the route afterwards for another`);
  return access ?? usual;
}

/** An operation of the API: its route, its function, its rule and its test over HTTP. */
export function endpoint(name: string, area: string, options: EndpointOptions): Change {
  const id = camel(name);
  const file = kebab(name);
  const { method, path, isList, hasId, hasBody, status } = operationOf(name, options);
  const folder = options.dashboard ? 'dashboard' : 'api';
  const access = accessOf(method, options);
  const isDeletion = method === 'DELETE';
  const contract = `contract/${area}/${file}.ts`;
  const domain = `domain/${area}/${file}.ts`;
  const test = `test/api/${area}/${file}.test.ts`;
  const summary = sentence(name);
  const action = summary.charAt(0).toLowerCase() + summary.slice(1);
  const fields = `{ ${[hasId || !isDeletion ? 'id: z.string()' : '', hasBody ? 'name: z.string()' : ''].filter(Boolean).join(', ')} }`;

  const envelope = [
    isDeletion ? 'Deleted' : isList ? 'list' : 'single',
    ...(hasId ? ['Id'] : []),
    ...(isList ? ['Page'] : []),
  ];
  const response = isDeletion ? 'Deleted' : `() => ${isList ? 'list' : 'single'}(z.object(${fields}))`;
  const usesZod = hasBody || !isDeletion;
  const route = `${usesZod ? "import * as z from 'zod/mini';\n" : ''}import { ${envelope.join(', ')} } from '../envelope.ts';
import { route } from '../route.ts';

export const ${id} = /* @__PURE__ */ route({
  id: '${id}',
  method: '${method}',
  path: '${path}',
  access: '${access}',
  right: '${method === 'GET' ? 'member' : 'develop'}',
${method === 'GET' ? '' : "  audit: { because: 'it changes nothing yet: name the action of contract/audit/actions.ts' },\n"}  summary: '${summary}',
  tag: '${TAG_OF[area]}',
${hasId ? '  params: Id,\n' : ''}${isList ? `  query: () => Page('${area.slice(0, 3)}'),\n` : ''}${hasBody ? '  body: () => z.object({ name: z.string().check(z.minLength(1), z.maxLength(60)) }),\n' : ''}${status === 200 ? '' : `  status: ${status},\n`}  response: ${response},
});
`;

  const wiring = `import { ${id} as route } from '../../${contract}';
import { ${id} } from '../../${domain}';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** ${method} ${path} */
export const handler = endpoint(route, ${id});
`;

  const inputs = [hasId ? 'id' : '', hasBody ? 'name' : ''].filter(Boolean).join(', ');
  const result = isList
    ? '{ data: [], has_more: false }'
    : isDeletion
      ? `{ data: { id${hasId ? '' : ": ''"}, deleted: true } }`
      : `{ data: { ${[hasId ? 'id' : `id: ${hasBody ? `deps.newId('${area.slice(0, 3)}')` : "''"}`, hasBody ? 'name' : ''].filter(Boolean).join(', ')} } }`;
  const writes = method !== 'GET';
  const takesInput = inputs !== '';
  const rule = `import type { ${id} as Route } from '../../${contract}';
import type { ${takesInput ? 'Input, ' : ''}Output } from '../../contract/route.ts';
import type { Caller, Deps } from '../deps.ts';

/** ${method} ${path} */
export async function ${id}(
  ${writes ? 'deps' : '_deps'}: Deps,
  _caller: Caller,${takesInput ? `\n  { ${inputs} }: Input<typeof Route>,` : ''}
): Promise<Output<typeof Route>> {
  ${writes ? `return await deps.commit([], ${result});` : `return ${result};`}
}
`;

  const call = [hasId ? "params: { id: 'none' }" : '', hasBody ? "body: { name: 'Name' }" : '']
    .filter(Boolean)
    .join(', ');
  const input = call === '' ? id : `${id}, { ${call} }`;
  const title = `${options.dashboard ? 'a login' : 'a key with the scope'} may ${action}`;
  const refusal = options.dashboard
    ? `test('a secret key may not ${action}', async () => {
  const account = await newAccount();
  expect(codeOf(await account.call(${input}))).toBe('unauthorized');
});`
    : `test('a key without the scope ${access} gets 403', async () => {
  const account = await newAccount({ scopes: ['${access === 'ai' ? 'read' : 'ai'}'] });
  expect(codeOf(await account.call(${input}))).toBe('insufficient_scope');
});`;
  const overHttp = `import { expect, test } from 'vitest';
import { ${id} } from '../../../${contract}';
import { codeOf, newAccount } from '../../support/harness.ts';

test('${title}', async () => {
  const account = await newAccount();
  expect((await account${options.dashboard ? '.dashboard' : ''}.call(${input})).status).toBe(${status});
});

${refusal}
`;

  const list = options.dashboard ? 'dashboardRoutes' : 'routes';
  const register = (text: string) => {
    const entry = new RegExp(`(?<=export const ${list} = \\[[^\\]]*)\\] as const;`);
    return withImport(before(text, entry, `  ${id},\n`), `./${area}/${file}.ts`, id);
  };
  const row = `| ${summary} | \`${method} ${path.replace('/dashboard/v1', '')}\` | \`${test}\`: ${title} |\n`;
  return {
    create: {
      [contract]: route,
      [`functions/${folder}/${id}.ts`]: wiring,
      [domain]: rule,
      [test]: overHttp,
    },
    edit: {
      'contract/routes.ts': register,
      ...(options.dashboard
        ? { 'docs/dashboard.md': (text: string) => after(text, /^\|.*\| `[A-Z]+ \/[^`]*` \| `test\/.*\|\n/gm, row) }
        : {}),
    },
    next: [
      `describe the operation in ${contract}: parameters, body, answer`,
      ...(writes ? [`name what it changes in contract/audit/actions.ts and in the route's audit`] : []),
      `write the rule in ${domain}, with the error of every condition`,
      `cover each error, and another account's resource, in ${test}`,
      ...(options.dashboard ? [] : ['npm run client:generate']),
      ...(isList ? ['fill the list in test/api/lists.test.ts, which reads every list page by page'] : []),
    ],
  };
}
