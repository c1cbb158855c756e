export { showHidden } from '@parley/core';
