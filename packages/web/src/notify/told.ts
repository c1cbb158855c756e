/** Whether this browser is told by push, as far as this page knows: then the page itself stays quiet. */
let isTold = false;

export const isToldByPush = (): boolean => isTold;

export function setToldByPush(isNow: boolean): void {
  isTold = isNow;
}
