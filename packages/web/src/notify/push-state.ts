/** Whether this browser gets push notifications, as far as this page knows: if so, the page itself shows none. */
let isTold = false;

export const hasPush = (): boolean => isTold;

export function setToldByPush(isNow: boolean): void {
  isTold = isNow;
}
