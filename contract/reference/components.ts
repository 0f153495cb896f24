import * as z from 'zod/mini';

export type Json = Record<string, unknown>;

/** Rewrites the references of a schema to the document's components. */
const rewriteRefs = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('#/$defs/', '#/components/schemas/'));

/** Collects the named schemas of a document, so that each is written once. */
export class Components {
  readonly schemas: Json = {};
  readonly responses: Json = {};

  show(schema: z.ZodMiniType, io: 'input' | 'output'): Json {
    const { $schema, $defs, ...shown } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const { openApiOverride } = z.globalRegistry.get(zodSchema) ?? {};
        if (openApiOverride) {
          for (const key of Object.keys(jsonSchema)) delete (jsonSchema as Json)[key];
          Object.assign(jsonSchema, openApiOverride);
        }
        // Clients must accept new fields of a response, so the document does not exclude them.
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
        // Requests accept any case and internationalized names too.
        if (io === 'input' && jsonSchema.format === 'hostname') delete jsonSchema.format;
        // The format says the same as the pattern of 400 characters.
        if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      },
    }) as Json & { $defs?: Json };
    Object.assign(this.schemas, rewriteRefs($defs ?? {}));
    return rewriteRefs(shown);
  }
}
