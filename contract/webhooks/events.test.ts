import { expect, test } from 'vitest';
import { dataOf, EVENTS } from './events.ts';

test('each payload’s schema is built once: building it takes longer than all else that an event takes', () => {
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
