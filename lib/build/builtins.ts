import { builtinModules, isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/** Modules that stay ordinary imports, because the local run gives each execution environment its own (local/lambda/bundle-module.ts). */
const IMPORTED = ['process', 'console'];

const names = builtinModules.map((name) => name.replace(/^node:/, '')).filter((name) => !IMPORTED.includes(name));
const BUILTIN = new RegExp(`^(node:)?(${names.join('|')})$`);
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

const load = (path: string): string => `process.getBuiltinModule(${JSON.stringify(path)})`;

/** Returns the source of a module that reexports a built-in module. A bundle keeps only the exports that it uses. */
function exportsOf(path: string): string {
  const exported = Object.keys(process.getBuiltinModule(path) ?? {}).filter(
    (name) => IDENTIFIER.test(name) && name !== 'default',
  );
  return [
    `const builtin = ${load(path)};`,
    'const get = (name) => builtin[name];',
    'export default builtin;',
    ...exported.map((name) => `const ${name}_ = /* @__PURE__ */ get('${name}');`),
    `export { ${exported.map((name) => `${name}_ as ${name}`).join(', ')} };`,
  ].join('\n');
}

/**
 * Loads Node's built-in modules as `require` does. For an `import`, Node reads all exports of a built-in module, and some of these load further
 * modules: those of `node:http` load a second HTTP client. That takes up to 80 ms of processor time in a cold start
 * (docs/decisions/0082-builtins.md).
 */
export const builtins: Plugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: BUILTIN }, ({ path, kind }) => {
      if (!isBuiltin(path)) return undefined;
      const namespace = kind === 'import-statement' ? 'builtin-exports' : 'builtin';
      return { path: path.startsWith('node:') ? path : `node:${path}`, namespace, sideEffects: false };
    });
    onLoad({ filter: /.*/, namespace: 'builtin-exports' }, ({ path }) => ({ contents: exportsOf(path) }));
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({ contents: `module.exports = ${load(path)};` }));
  },
};
