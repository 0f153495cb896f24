import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const BASE = '/dashboard/';

/** What the frame in index.html looks like: its part of the styles stands in the page itself. */
const FRAME = ['ui/colours.css', 'shell/shell.css'];

/** The chunk of what every screen needs: asked for by the page, and not by the first screen when that has come. */
const COMMON = 'common';

const minified = (css: string): string => css.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\s+/g, ' ');

/**
 * The frame is painted as soon as the page is there: its styles are in the page, and the stylesheet of all else is asked for
 * behind it. The app waits for that stylesheet, as scripts do for what stands before them.
 */
const frameFirst = (): Plugin => ({
  name: 'frame-first',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const common = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === COMMON);
      const sheets = html.match(/ *<link rel="stylesheet"[^>]*>\n/g) ?? [];
      const frame = FRAME.map((file) => minified(readFileSync(join(import.meta.dirname, file), 'utf8'))).join('');
      const without = sheets.reduce((page, sheet) => page.replace(sheet, ''), html);
      return without
        .replace(
          '</head>',
          `  <link rel="modulepreload" crossorigin href="${BASE}${common?.fileName}">\n    <style>${frame}</style>\n  </head>`,
        )
        .replace('<noscript>', `${sheets.join('').trim()}\n    <noscript>`);
    },
  },
});

/** The dashboard is served under {@link BASE}, by CloudFront and by the local front alike. `vite build dashboard` */
export default defineConfig({
  base: BASE,
  plugins: [react(), frameFirst()],
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
            // The frame; what every screen needs, which comes with it; and forms and dialogs, with the first screen that has some.
            { name: 'app', tags: ['$initial'], priority: 3 },
            { name: COMMON, minShareCount: 6, priority: 2 },
            { name: 'forms', test: /node_modules|dashboard.form/, minShareCount: 3, priority: 1 },
          ],
        },
      },
    },
  },
});
