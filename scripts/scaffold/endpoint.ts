import { SCOPES } from '../../contract/route.ts';
import type { Tag } from '../../contract/tags.ts';
import { after, before, type Change, withImport } from './change.ts';
import { camel, kebab, plural, sentence, singular, UsageError } from './names.ts';

export interface EndpointOptions {
  /** HTTP method. Default: derived from the verb in the name. */
  method?: string | undefined;
  /** Path below the base URL. Default: derived from the name. */
  path?: string | undefined;
  /** Scope of keys. Default: `read` for GET and `write` for other methods. */
  access?: string | undefined;
  /** True for an operation of the dashboard, below /dashboard/v1 and only for logins. */
  dashboard?: boolean | undefined;
}

/** The method of an operation, and the form of its input and result. */
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

/** Derives the access of an operation. @throws UsageError for an unsupported scope, which needs a different route and tests */
function accessOf(method: string, { access, dashboard }: EndpointOptions): string {
  const usual = dashboard ? 'login' : method === 'GET' ? 'read' : 'write';
  const possible: readonly string[] = dashboard ? ['login'] : SCOPES;
  if (access !== undefined && !possible.includes(access))
    throw new UsageError(`--access must be one of ${possible.join(', ')}; change the route afterwards for another`);
  return access ?? usual;
}

/** The values that the files of an operation contain. */
interface Operation extends Shape {
  id: string;
  area: string;
  path: string;
  access: string;
  isDeletion: boolean;
  isOfDashboard: boolean;
  /** `Rename app` and `rename app`. */
  summary: string;
  action: string;
  /** Paths of the operation's files. */
  contract: string;
  domain: string;
  test: string;
}

/** Joins the words by commas, without those that are false. */
const listed = (...words: readonly (string | false)[]): string => words.filter((word) => word !== false).join(', ');

function routeText({ id, area, method, path, access, isList, hasId, hasBody, status, isDeletion, summary }: Operation) {
  const shape = isDeletion ? 'Deleted' : isList ? 'list' : 'single';
  const fields = listed('id: z.string()', hasBody && 'name: z.string()');
  const members = [
    `id: '${id}'`,
    `method: '${method}'`,
    `path: '${path}'`,
    `access: '${access}'`,
    `right: '${method === 'GET' ? 'member' : 'develop'}'`,
    method !== 'GET' && "audit: { because: 'it changes nothing yet: name the action of contract/audit/actions.ts' }",
    `summary: '${summary}'`,
    `tag: '${TAG_OF[area]}'`,
    hasId && 'params: Id',
    isList && `query: () => Page('${area.slice(0, 3)}')`,
    hasBody && 'body: () => z.object({ name: z.string().check(z.minLength(1), z.maxLength(60)) })',
    status !== 200 && `status: ${status}`,
    `response: ${isDeletion ? shape : `() => ${shape}(z.object({ ${fields} }))`}`,
  ].filter((member) => member !== false);
  return `${hasBody || !isDeletion ? "import * as z from 'zod/mini';\n" : ''}import { ${listed(shape, hasId && 'Id', isList && 'Page')} } from '../envelope.ts';
import { route } from '../route.ts';

export const ${id} = /* @__PURE__ */ route({
${members.map((member) => `  ${member},\n`).join('')}});
`;
}

const wiringText = ({ id, method, path, contract, domain }: Operation) =>
  `import { ${id} as route } from '../../${contract}';
import { ${id} } from '../../${domain}';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** ${method} ${path} */
export const handler = endpoint(route, ${id});
`;

function ruleText({ id, area, method, path, isList, hasId, hasBody, isDeletion, contract }: Operation) {
  const inputs = listed(hasId && 'id', hasBody && 'name');
  const newId = hasBody ? `deps.newId('${area.slice(0, 3)}')` : "''";
  const member = hasId ? 'id' : `id: ${isDeletion ? "''" : newId}`;
  const data = isList
    ? '[], has_more: false'
    : `{ ${listed(member, isDeletion ? 'deleted: true' : hasBody && 'name')} }`;
  const writes = method !== 'GET';
  return `import type { ${id} as Route } from '../../${contract}';
import type { ${listed(inputs !== '' && 'Input', 'Output')} } from '../../contract/route.ts';
import type { Caller, Deps } from '../deps.ts';

/** ${method} ${path} */
export async function ${id}(
  ${writes ? 'deps' : '_deps'}: Deps,
  _caller: Caller,${inputs === '' ? '' : `\n  { ${inputs} }: Input<typeof Route>,`}
): Promise<Output<typeof Route>> {
  return ${writes ? `await deps.commit([], { data: ${data} })` : `{ data: ${data} }`};
}
`;
}

const titleOf = ({ isOfDashboard, action }: Operation) =>
  `${isOfDashboard ? 'a login' : 'a key with the scope'} may ${action}`;

function testText(operation: Operation) {
  const { id, access, hasId, hasBody, status, isOfDashboard, action, contract } = operation;
  const call = listed(hasId && "params: { id: 'none' }", hasBody && "body: { name: 'Name' }");
  const input = call === '' ? id : `${id}, { ${call} }`;
  const refused = isOfDashboard
    ? { title: `a secret key may not ${action}`, with: '', code: 'unauthorized' }
    : {
        title: `a key without the scope ${access} gets 403`,
        with: `{ scopes: ['${access === 'ai' ? 'read' : 'ai'}'] }`,
        code: 'insufficient_scope',
      };
  return `import { expect, test } from 'vitest';
import { ${id} } from '../../../${contract}';
import { codeOf, newAccount } from '../../support/harness.ts';

test('${titleOf(operation)}', async () => {
  const account = await newAccount();
  expect((await account${isOfDashboard ? '.dashboard' : ''}.call(${input})).status).toBe(${status});
});

test('${refused.title}', async () => {
  const account = await newAccount(${refused.with});
  expect(codeOf(await account.call(${input}))).toBe('${refused.code}');
});
`;
}

/** Returns the change that adds an operation of the API: its route, its function, its rule and its test over HTTP. */
export function endpoint(name: string, area: string, options: EndpointOptions): Change {
  const [id, file, summary] = [camel(name), kebab(name), sentence(name)];
  const shape = operationOf(name, options);
  const operation: Operation = {
    ...shape,
    id,
    area,
    access: accessOf(shape.method, options),
    isDeletion: shape.method === 'DELETE',
    isOfDashboard: options.dashboard ?? false,
    summary,
    action: summary.charAt(0).toLowerCase() + summary.slice(1),
    contract: `contract/${area}/${file}.ts`,
    domain: `domain/${area}/${file}.ts`,
    test: `test/api/${area}/${file}.test.ts`,
  };
  const { method, path, contract, domain, test, isOfDashboard } = operation;
  const list = isOfDashboard ? 'dashboardRoutes' : 'routes';
  const register = (text: string) => {
    const entry = new RegExp(`(?<=export const ${list} = \\[[^\\]]*)\\] as const;`);
    return withImport(before(text, entry, `  ${id},\n`), `./${area}/${file}.ts`, id);
  };
  const row = `| ${summary} | \`${method} ${path.replace('/dashboard/v1', '')}\` | \`${test}\`: ${titleOf(operation)} |\n`;
  const describe = (text: string) => after(text, /^\|.*\| `[A-Z]+ \/[^`]*` \| `test\/.*\|\n/gm, row);
  return {
    create: {
      [contract]: routeText(operation),
      [`functions/${isOfDashboard ? 'dashboard' : 'api'}/${id}.ts`]: wiringText(operation),
      [domain]: ruleText(operation),
      [test]: testText(operation),
    },
    edit: { 'contract/routes.ts': register, ...(isOfDashboard ? { 'docs/dashboard.md': describe } : {}) },
    next: [
      `describe the operation in ${contract}: parameters, body, answer`,
      ...(method === 'GET' ? [] : [`name what it changes in contract/audit/actions.ts and in the route's audit`]),
      `write the rule in ${domain}, with the error of every condition`,
      `cover each error, and another account's resource, in ${test}`,
      ...(isOfDashboard ? [] : ['npm run client:generate']),
      ...(operation.isList ? ['fill the list in test/api/lists.test.ts, which reads every list page by page'] : []),
    ],
  };
}
