// Sets light or dark before the first paint: the user's choice (stored by Mantine under this name) or the system's setting.
let chosen = null;
try {
  chosen = localStorage.getItem('mantine-color-scheme-value');
} catch {
  // The browser blocks the page's storage: MissingSettings.tsx tells the user.
}
const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
