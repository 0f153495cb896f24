import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The dashboard is served under /dashboard/, by CloudFront and by the local front alike. `vite build dashboard` */
export default defineConfig({
  base: '/dashboard/',
  plugins: [react()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    // The content security policy allows no data: scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    target: 'baseline-widely-available',
  },
});
