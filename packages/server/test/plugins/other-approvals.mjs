import { makeApprovals } from './approvals.mjs';

export default makeApprovals('other', 'other_grants');
