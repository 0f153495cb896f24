import { afterEach, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { step } from './step.ts';

afterEach(() => void vi.restoreAllMocks());

test('an input of a step that the schema refuses is logged with its ids and its request', async () => {
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  const act = vi.fn();
  const input = { appId: 'app_1', requestId: 'req_1', count: 'secret' };
  await expect(step(z.object({ count: z.number() }), act)(input)).rejects.toThrow();
  expect(act).not.toHaveBeenCalled();
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'ERROR', message: 'step failed', appId: 'app_1', requestId: 'req_1' }),
  ]);
  expect(lines.join('')).not.toContain('secret');
});
