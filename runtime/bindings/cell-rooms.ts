import { LambdaClient } from '@aws-sdk/client-lambda';
import { createCellRooms } from '../../providers/app-host/room.ts';
import type { RemoteCell } from '../cells.ts';

export const cellRooms = (cell?: RemoteCell) => createCellRooms(new LambdaClient({ ...cell?.access }));
