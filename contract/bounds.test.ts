import { expect, test } from 'vitest';
import { type Schema, walkable } from '../test/support/schemas.ts';
import { createKey } from './accounts/api-keys.ts';
import { type Route, SCOPES } from './route.ts';
import { dashboardRoutes, operatorRoutes, routes } from './routes.ts';
import { createWebhook } from './webhooks/endpoints.ts';
import { EVENTS } from './webhooks/events.ts';

/** Longer than every text in a request may be. */
const LONG = 10_000;
const TEXTS = ['a', '1', 'a.', '/a', ' a', 'é', '😀'].map((text) => text.repeat(LONG));
const NUMBERS = [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER];

/** Fields of operators that the domain limits, or that may be of any size: lists of prices and of records, and limits. */
const EXEMPT = /^(?:setOffer\.offer|adoptCustomerDomain\.records|changeLimits\.limits|openCustomerAccount\.plan)/;

/** Returns the names of the fields that accept texts, lists or numbers of any size. */
function unbounded(schema: Schema, name: string): string[] {
  const { type, shape = {}, element, innerType, options = [], checks = [] } = schema.def;
  const input = schema.def.in;
  const ifAccepted = (values: readonly unknown[]) =>
    values.some((value) => schema.safeParse(value).success) ? [name] : [];
  switch (type) {
    case 'object':
      return Object.entries(shape).flatMap(([field, inside]) => unbounded(inside, `${name}.${field}`));
    case 'array': {
      const isBounded = checks.some(({ _zod }) => _zod.def.check === 'max_length');
      return [...(isBounded ? [] : [name]), ...(element ? unbounded(element, `${name}[]`) : [])];
    }
    case 'optional':
    case 'nullable':
    case 'default':
      return innerType ? unbounded(innerType, name) : [];
    case 'pipe':
      return input ? unbounded(input, name) : [];
    case 'union':
      return options.flatMap((option) => unbounded(option, name));
    case 'string':
      return ifAccepted(TEXTS);
    case 'number':
    case 'int':
      return ifAccepted(NUMBERS);
    case 'enum':
    case 'literal':
    case 'boolean':
      return [];
    default:
      return [name];
  }
}

test('every field of a request has a largest size, below that of the whole body', () => {
  const all: readonly Route[] = [...routes, ...dashboardRoutes, ...operatorRoutes];
  const found = all.flatMap(({ id, params, query, body }) =>
    [params, query, body].flatMap((part) => (part ? unbounded(walkable(part()), id) : [])),
  );
  expect(found.filter((field) => !EXEMPT.test(field))).toEqual([]);
});

test('a list whose repeated entries count once may name each of them several times', () => {
  const thrice = <T>(entries: readonly T[]): T[] => [...entries, ...entries, ...entries];
  const types = Object.keys(EVENTS);
  const webhook = createWebhook.body?.().parse({ url: 'https://example.com/', events: thrice(types) });
  expect(webhook?.events).toEqual(types);
  const key = createKey.body?.().parse({ name: 'all', scopes: thrice(SCOPES) });
  expect(key?.scopes).toEqual(SCOPES);
});
