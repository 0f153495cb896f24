import * as z from 'zod/mini';

export type Json = Record<string, unknown>;

/** Points references at the document's components. */
const rewriteRefs = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('#/$defs/', '#/components/schemas/'));

/** Gathers the named schemas of everything shown, so that each is written once. */
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
        // Clients take new fields of a response as they come (design, section 4), so nothing is said against them.
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
        // Any case, and international names, are taken as well.
        if (io === 'input' && jsonSchema.format === 'hostname') delete jsonSchema.format;
        // The pattern says the same, in 400 characters.
        if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      },
    }) as Json & { $defs?: Json };
    Object.assign(this.schemas, rewriteRefs($defs ?? {}));
    return rewriteRefs(shown);
  }
}
