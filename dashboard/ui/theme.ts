import { createTheme, type MantineColorsTuple } from '@mantine/core';

const teal: MantineColorsTuple = [
  '#e9f7f5',
  '#cfece8',
  '#9fdad2',
  '#6bc6bb',
  '#43b4a7',
  '#2aa499',
  '#14877f',
  '#0b6e69',
  '#085753',
  '#05403d',
];

/** Mantine theme of the dashboard. Colors that differ between light and dark are in colors.css. */
export const theme = createTheme({
  colors: { teal },
  primaryColor: 'teal',
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.6rem' }, h2: { fontSize: '1.15rem' } } },
  cursorType: 'pointer',
  respectReducedMotion: true,
});
