import { useContext } from 'react';
import { hasRight, screenRoleMessage } from '../../contract/roles.ts';
import { RightContext, RoleContext } from '../api/rights.ts';

/** Says why the actions of this part of the screen are disabled, if the role does not allow them: touch shows no tooltips. */
export function RoleNotice() {
  const right = useContext(RightContext);
  const role = useContext(RoleContext);
  return !hasRight(role, right) && <div className="row-detail no-print">{screenRoleMessage(role, right)}</div>;
}
