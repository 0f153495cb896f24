import { createPanel } from '../providers/panel.ts';

export const panel = createPanel();
