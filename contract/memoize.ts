/** Builds a schema once, when it is first needed, so that a cold start does not pay for schemas that it does not use. */
export function memoize<T>(build: () => T): () => T {
  let built: { schema: T } | undefined;
  return () => {
    built ??= { schema: build() };
    return built.schema;
  };
}
