/** Whether a decimal number keeps its value as a double; its spelling may change. */
export function isKept(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return false;
  const [written, kept] = [readDecimal(number), readDecimal(String(value))];
  return written.digits === kept.digits && written.exponent === kept.exponent;
}

/** Splits a decimal into its significant digits and the power of ten of the first one; both empty for zero. */
function readDecimal(number: string): { readonly digits: string; readonly exponent: number } {
  const [mantissa = '', power = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.');
  const all = whole + fraction;
  let [start, end] = [0, all.length];
  while (start < end && all.charCodeAt(start) === zero) start += 1;
  while (end > start && all.charCodeAt(end - 1) === zero) end -= 1;
  if (start === end) return { digits: '', exponent: 0 };
  return { digits: all.slice(start, end), exponent: whole.length - start + Number(power) };
}

const zero = '0'.charCodeAt(0);
