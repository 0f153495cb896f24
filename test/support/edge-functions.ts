import { compileFunction } from 'node:vm';
import * as z from 'zod';
import { type read as Read, read } from '../template/synthesized.ts';

/** CloudFront Functions of a template, run in this process. */

/** Returns the code of a function. Throws where the template has none of this name. */
export function edgeFunctionCode(template: Parameters<typeof Read>[0], name: string): string {
  const functions = read(
    template,
    'AWS::CloudFront::Function',
    z.object({ Name: z.string(), FunctionCode: z.string() }),
  );
  const found = functions.find(({ Name }) => Name === name);
  if (!found) throw new Error(`there is no function ${name}`);
  return found.FunctionCode;
}

/** Runs code with a KeyValueStore that contains `routes`. @returns what it returns, and the origins that it chose */
export async function runEdgeFunction(code: string, event: object, routes: Record<string, string> = {}) {
  const origins: string[] = [];
  const cf = {
    kvs: () => ({
      exists: async (key: string) => key in routes,
      get: async (key: string) => {
        if (!(key in routes)) throw new Error(`KeyNotFound: ${key}`);
        return routes[key];
      },
    }),
    updateRequestOrigin: ({ domainName }: { domainName: string }) => origins.push(domainName),
  };
  const handler = compileFunction(`${code.replace(/^import .*$/m, '')}\nreturn handler(event);`, ['cf', 'event']);
  const result: unknown = await handler(cf, event);
  return { result, origins };
}
