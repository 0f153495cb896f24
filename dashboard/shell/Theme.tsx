import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { LazyToaster } from '../ui/LazyToaster.tsx';
import { theme } from '../ui/theme.ts';

/** Provides the theme and the toaster. */
export const Theme = ({ children }: { children: ReactNode }) => (
  <MantineProvider theme={theme} defaultColorScheme="auto">
    <LazyToaster />
    {children}
  </MantineProvider>
);
