import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { Notices } from '../ui/Notices.tsx';
import { theme } from '../ui/theme.ts';

/** Looks: light or dark as the system says, until somebody chooses. */
export const Theme = ({ children }: { children: ReactNode }) => (
  <MantineProvider theme={theme} defaultColorScheme="auto">
    <Notices />
    {children}
  </MantineProvider>
);
