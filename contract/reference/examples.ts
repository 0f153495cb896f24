import { entryOf } from '../enums.ts';
import { isObject } from '../json.ts';
import type { Json } from './components.ts';

/** Example values for the OpenAPI document and the reference page. They make up valid requests (examples.test.ts). */

/** Example values by field name, for schemas without an example. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  name: 'My shop',
  repoUrl: 'https://github.com/example/my-shop.git',
  branch: 'main',
  slug: 'my-shop',
  installCommand: 'npm ci',
  buildCommand: 'npm run build',
  primaryDomain: 'my-shop.apps.example.com',
  commitSha: '4f2a91c',
  customDomain: 'shop.example.com',
  domain: 'shop.example.com',
  hostingDomain: 'example.co.za',
  url: 'https://hooks.example.com/events',
  key: 'GREETING',
  value: 'Hello',
  email: 'thandi@example.com',
  contactNumber: '+27.215551234',
  address1: '1 Long Street',
  city: 'Cape Town',
  province: 'Western Cape',
  postalCode: '8001',
  country: 'ZA',
  content: '192.0.2.1',
  type: 'A',
  q: 'my-shop',
  model: 'openai/gpt-4o-mini',
  messages: [{ role: 'user', content: 'Say hello.' }],
  startFile: 'server.js',
  healthCheckPath: '/healthz',
  amount: '100.00',
};

/** Optional fields that the example of an operation includes. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  createApp: ['framework', 'repoUrl'],
  updateApp: ['branch', 'healthCheckPath'],
  editApp: ['name', 'repoUrl'],
  addDnsRecord: ['name', 'ttl'],
  createWebhook: ['events'],
  setAutoTopUp: ['threshold', 'amount'],
};

export class Examples {
  readonly #schemas: Json;

  constructor(schemas: Json) {
    this.#schemas = schemas;
  }

  #resolve(schema: unknown): Json {
    if (!isObject(schema)) return {};
    return typeof schema.$ref === 'string' ? this.#resolve(this.#schemas[schema.$ref.split('/').at(-1) ?? '']) : schema;
  }

  /** Returns an example of a schema. Objects have their required fields, and the optional ones in `shown`. */
  valueOf(given: unknown, name = '', shown: readonly string[] | 'all' = []): unknown {
    const schema = this.#resolve(given);
    if (Array.isArray(schema.examples)) return schema.examples[0];
    if (schema.default !== undefined && shown !== 'all') return schema.default;
    if (schema.const !== undefined) return schema.const;
    const known = entryOf(BY_NAME, name);
    if (Array.isArray(schema.enum)) return schema.enum.includes(known) ? known : schema.enum[0];
    if (known !== undefined && schema.type !== 'object') return known;
    const [option] = [schema.anyOf, schema.oneOf].find(Array.isArray) ?? [];
    if (option) return this.valueOf(option, name, shown);
    switch (schema.type) {
      case 'object':
        return this.#object(schema, shown);
      case 'array':
        return [this.valueOf(schema.items, name.replace(/s$/, ''), shown)];
      case 'integer':
      case 'number':
        return schema.minimum ?? 1;
      case 'boolean':
        return true;
      case 'null':
        return null;
      default:
        return name === 'id' || /Id$/.test(name) ? `${name}_…` : 'text';
    }
  }

  #object(schema: Json, shown: readonly string[] | 'all'): Json {
    const required = Array.isArray(schema.required) ? schema.required : [];
    const properties = Object.entries(isObject(schema.properties) ? schema.properties : {});
    const included = properties.filter(
      ([name, field]) =>
        shown === 'all' ||
        shown.includes(name) ||
        (required.includes(name) && this.#resolve(field).default === undefined),
    );
    return Object.fromEntries(
      included.map(([name, field]) => [name, this.valueOf(field, name, shown === 'all' ? 'all' : [])]),
    );
  }

  /** Returns an example of an operation's body. If no field is required, it has the first field. */
  bodyOf(operationId: string, schema: unknown): unknown {
    const example = this.valueOf(schema, '', SHOWN[operationId] ?? []);
    if (!isObject(example) || Object.keys(example).length > 0) return example;
    const { properties } = this.#resolve(schema);
    return this.valueOf(schema, '', Object.keys(isObject(properties) ? properties : {}).slice(0, 1));
  }
}
