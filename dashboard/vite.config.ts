import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const BASE = '/dashboard/';

/** Stylesheets of the frame in index.html. They are inlined into the page. */
const FRAME_STYLESHEETS = ['ui/colors.css', 'shell/shell.css'];

/** Chunk of the code that every screen needs. The page preloads it, so that the first screen does not wait for it. */
const COMMON_CHUNK = 'common';

/**
 * Inputs, dialogs and tabs. Nearly every screen needs them, except the overview, where most visits begin. One chunk spares a phone the
 * round trips of many one-kilobyte files.
 */
const FORM_CODE =
  /dashboard.(?:form.|ui.(?:FilteredItems|FilteredList|ConfirmButton|Dialog|NavTabs|CopyText|OneTimeSecret|LimitTable|RowButton|use-is-shown|use-submit))|node_modules.(?:react-(?:remove|style)|use-|tslib|get-nonce|@floating-ui|@mantine.(?:hooks.*focus-trap|core.esm.components.(?:Input|NativeSelect|Textarea|Checkbox|Combobox|CloseButton|Modal|Overlay|Portal|FocusTrap|Popover)))/;

/** Code that the overview shares with other areas. */
const OVERVIEW_CODE =
  /dashboard.(?:apps.(?:AppRows|app-|api)|ui.(?:Row|money|Meter|LinkRow|use-open-after)|accounts.audit)|contract.(?:apps.(?:apps|host)|limits|hosts)/;

/** The calls of members, keys, money, webhooks and AI. Applications, which are near their budget, need none of them. */
const ACCOUNT_CODE = /contract.(?:accounts|ai|billing|webhooks)|dashboard.accounts.api/;

const minify = (css: string): string => css.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\s+/g, ' ');

/**
 * Inlines the frame's styles into the page, so that the frame is painted before any other file arrives, and moves the stylesheet
 * links to the end of the body. Module scripts wait for stylesheets that precede them, so the app never renders unstyled.
 */
const inlineFrameStyles = (): Plugin => ({
  name: 'frame-first',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const common = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === COMMON_CHUNK);
      const sheets = html.match(/ *<link rel="stylesheet"[^>]*>\n/g) ?? [];
      const frame = FRAME_STYLESHEETS.map((file) => minify(readFileSync(join(import.meta.dirname, file), 'utf8'))).join(
        '',
      );
      const without = sheets.reduce((page, sheet) => page.replace(sheet, ''), html);
      return without
        .replace(
          '</head>',
          `  <link rel="modulepreload" crossorigin href="${BASE}${common?.fileName}">\n    <style>${frame}</style>\n  </head>`,
        )
        .replace('</body>', `  ${sheets.join('').trim()}\n  </body>`);
    },
  },
});

/** Builds the dashboard (`vite build dashboard`) for {@link BASE}, where CloudFront and the local gateway serve it. */
export default defineConfig({
  base: BASE,
  plugins: [react(), inlineFrameStyles()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    // The content security policy allows no data: scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    target: 'baseline-widely-available',
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // The frame; code that every screen needs, loaded with it; forms and dialogs, loaded with the first screen that uses them.
            { name: 'app', tags: ['$initial'], priority: 5 },
            { name: COMMON_CHUNK, test: (id) => !FORM_CODE.test(id), minShareCount: 7, priority: 4 },
            { name: 'inputs', test: FORM_CODE, minShareCount: 2, priority: 3 },
            { name: 'forms', test: /node_modules|dashboard.form/, minShareCount: 3, priority: 2 },
            // Small modules that at least two areas share: one chunk for those of the overview, one for the others.
            { name: 'views', test: OVERVIEW_CODE, minShareCount: 2, priority: 1 },
            { name: 'account', test: ACCOUNT_CODE, minShareCount: 2, priority: 1 },
            { name: 'audit', test: /contract.audit/, minShareCount: 2, priority: 1 },
            { name: 'contracts', test: /contract.|dashboard.ui.(?!chart)/, minShareCount: 2, priority: 0 },
          ],
        },
      },
    },
  },
});
