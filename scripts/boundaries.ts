/**
 * The project's import rules: the layers that each layer may import, and within a layer the areas that each area may import.
 * `npm run boundaries` writes them into `biome.boundaries.json`, which the linter enforces, and into `docs/architecture.md`. A test fails
 * if either is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Layer → layers that it may import. Tests may import anything. */
export const LAYERS: Record<string, readonly string[]> = {
  contract: [],
  table: ['contract'],
  providers: ['contract'],
  domain: ['contract', 'table', 'providers'],
  events: ['contract', 'table', 'domain'],
  runtime: ['contract', 'table', 'domain', 'providers'],
  functions: ['contract', 'domain', 'events', 'runtime'],
  builder: ['contract', 'providers'],
  lib: ['contract'],
  bin: ['lib'],
  dashboard: ['contract'],
  client: [],
  cli: ['contract', 'client'],
  local: ['contract', 'lib', 'runtime'],
};

/** Area → areas that it may import. A test refuses cycles. Code that needs other areas is a process (`domain/processes/`). */
export const AREAS: Record<string, readonly string[]> = {
  webhooks: [],
  hosting: ['apps', 'custom-domains'],
  billing: ['hosting', 'webhooks'],
  ai: ['billing', 'webhooks'],
  accounts: ['ai', 'billing'],
  apps: ['webhooks'],
  'custom-domains': ['apps'],
  databases: ['apps', 'webhooks'],
  deployments: ['apps', 'databases', 'webhooks'],
  registrar: ['billing', 'webhooks'],
  dns: ['registrar'],
};

/** The dashboard's areas. Screens contain sections of other areas, so their imports differ from those of the domain. */
export const SCREENS: Record<string, readonly string[]> = {
  accounts: [],
  ai: [],
  billing: [],
  'custom-domains': [],
  databases: [],
  deployments: [],
  dns: [],
  hosting: [],
  webhooks: [],
  apps: ['custom-domains', 'databases', 'deployments'],
  developers: ['accounts', 'webhooks'],
  overview: ['accounts', 'apps'],
  registrar: ['dns'],
  operator: [],
};

interface Partition {
  folder: string;
  areas: Record<string, readonly string[]>;
  /** True if an area is a file instead of a folder. */
  flat?: boolean;
  /** Folders that belong to the base. */
  base?: readonly string[];
  /** Files that may import all areas. */
  composers: readonly string[];
}

/**
 * The folders with areas, and their files that compose areas. All other files at the same level are the layer's base, which areas
 * import and which imports no area.
 */
export const PARTITIONS: Partition[] = [
  {
    folder: 'contract',
    areas: AREAS,
    base: ['audit', 'host-names', 'limits', 'switches'],
    composers: ['routes.ts', 'client.ts', 'reference/**', 'operator/**'],
  },
  {
    folder: 'domain',
    areas: AREAS,
    base: ['audit', 'cache', 'limits', 'sweep', 'switches'],
    composers: ['moves/**', 'operator/**', 'processes/**'],
  },
  { folder: 'table/entities', areas: AREAS, flat: true, composers: [] },
  { folder: 'events', areas: AREAS, flat: true, composers: ['rules.ts'] },
  {
    folder: 'dashboard',
    areas: SCREENS,
    base: ['api', 'form', 'login', 'shell', 'ui'],
    composers: ['shell/nav.ts'],
  },
];

interface Override {
  includes: string[];
  linter: { rules: { style: { noRestrictedImports: object } } };
}

interface Restriction {
  group: string[];
  message: string;
}

const ROOT = resolve(import.meta.dirname, '..');
/** Tests, and files that only tests use, may import anything. */
const NOT_TESTS = ['!**/*.test.ts', '!builder/test-harness.ts'];

const override = (includes: string[], patterns: Restriction[]): Override => ({
  includes: [...includes, ...NOT_TESTS],
  linter: { rules: { style: { noRestrictedImports: { level: 'error', options: { patterns } } } } },
});

/** Returns the restriction that refuses imports of the layers that a layer may not use. */
function layerRestriction(layer: string): Restriction {
  const allowed = LAYERS[layer] ?? [];
  return {
    group: Object.keys(LAYERS)
      .filter((other) => other !== layer && !allowed.includes(other))
      .map((other) => `**/../${other}/**`),
    message: `${layer}/ may import ${allowed.join(', ') || 'no other layer'} (scripts/boundaries.ts).`,
  };
}

/** Returns the restriction that refuses imports of areas. @param up the path from the importing file to the level of the areas */
const areaRestriction = (areas: readonly string[], up: string, flat: boolean, message: string): Restriction[] =>
  areas.length === 0 ? [] : [{ group: areas.map((area) => `${up}/${area}${flat ? '.ts' : '/**'}`), message }];

function partitionOverrides({ folder, areas, flat = false, base = [], composers }: Partition): Override[] {
  const layer = layerRestriction(folder.split('/')[0] ?? folder);
  const folders = composers.filter((name) => name.endsWith('/**')).map((name) => name.slice(0, -3));
  const above = [...Object.keys(areas), ...folders];
  const exceptions = composers.filter((name) => !name.endsWith('/**')).map((name) => `!${folder}/${name}`);
  const ofBase = (includes: string, up: string) =>
    override(
      [includes, ...exceptions],
      [
        layer,
        ...areaRestriction(flat ? [] : above, up, false, `${includes} may import no area (scripts/boundaries.ts).`),
      ],
    );
  const ofArea = ([area, allowed]: [string, readonly string[]]) =>
    override(
      [flat ? `${folder}/${area}.ts` : `${folder}/${area}/**`],
      [
        layer,
        ...areaRestriction(
          above.filter((other) => other !== area && !allowed.includes(other)),
          flat ? '.' : '..',
          flat,
          `${area} may import ${allowed.join(', ') || 'no other area'} (scripts/boundaries.ts).`,
        ),
      ],
    );
  return [
    ...(flat ? [] : [ofBase(`${folder}/*.ts`, '.'), ...base.map((name) => ofBase(`${folder}/${name}/**`, '..'))]),
    ...Object.entries(areas).map(ofArea),
  ];
}

/** The linter's configuration: a later override replaces an earlier one for the files that both include. */
export const biomeConfiguration = (): { overrides: Override[] } => ({
  overrides: [
    ...Object.keys(LAYERS).map((layer) => override([`${layer}/**`], [layerRestriction(layer)])),
    ...PARTITIONS.flatMap(partitionOverrides),
  ],
});

const MARKS = ['<!-- areas:begin -->', '<!-- areas:end -->'] as const;

/** The table of areas for `docs/architecture.md`. */
export const areasTable = (): string =>
  [
    '| area | may import |',
    '| --- | --- |',
    ...Object.entries(AREAS).map(
      ([area, allowed]) => `| \`${area}\` | ${allowed.map((to) => `\`${to}\``).join(', ') || '–'} |`,
    ),
  ].join('\n');

/** A page with its table of areas brought up to date; unchanged where the page has no place for it. */
export function withAreasTable(page: string): string {
  const [begin, end] = MARKS;
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  return before < 0 || after < 0 ? page : `${page.slice(0, before)}${begin}\n${areasTable()}\n${page.slice(after)}`;
}

export const BIOME_FILE = join(ROOT, 'biome.boundaries.json');
export const ARCHITECTURE_FILE = join(ROOT, 'docs', 'architecture.md');

/** The text of `biome.boundaries.json`: an override a line, so that a change of the table is a short diff. */
export const biomeText = (): string =>
  `{ "overrides": [\n${biomeConfiguration()
    .overrides.map((each) => JSON.stringify(each))
    .join(',\n')}\n] }\n`;

if (import.meta.main) {
  writeFileSync(BIOME_FILE, biomeText());
  writeFileSync(ARCHITECTURE_FILE, withAreasTable(readFileSync(ARCHITECTURE_FILE, 'utf8')));
}
