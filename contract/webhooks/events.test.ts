import { expect, test } from 'vitest';
import { dataOf, EVENTS } from './events.ts';

test('the schema of a payload is built once, because building it takes most of the time of an event', () => {
  for (const [type, schema] of Object.entries(EVENTS)) {
    const built = schema();
    expect(schema(), type).toBe(built);
  }
});

test('an event’s fields are in the contract’s order, and those of an unknown type as they are', () => {
  const entries = (data: Record<string, unknown>) => Object.keys(data);
  expect(entries(dataOf('app.created', { name: 'shop', applicationId: 'app_1' }))).toEqual(['applicationId', 'name']);
  expect(entries(dataOf('event.unknown' as never, { name: 'shop', applicationId: 'app_1' }))).toEqual([
    'name',
    'applicationId',
  ]);
});
