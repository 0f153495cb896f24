/** Builds a schema when it is first needed, and just once: a cold start pays for none that it does not use. */
export function memoize<T>(build: () => T): () => T {
  let built: { schema: T } | undefined;
  return () => {
    built ??= { schema: build() };
    return built.schema;
  };
}
