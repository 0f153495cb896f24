export default defineNuxtConfig({
  compatibilityDate: '2026-01-01',
  telemetry: false,
  runtimeConfig: {
    // Read at run time from NUXT_GREETING.
    greeting: 'Hello from Nuxt',
  },
});
