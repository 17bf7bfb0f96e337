const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"] as const;
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const;
const nano = 1_000_000_000n;

/** A resource quantity as the API server would write it back (`1000` is `1k`); text it cannot read stays as it is. */
export function quantityText(text: string): string {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$/.exec(text);
  if (match === null || !/\d/.test(text)) return text;
  const [, sign, whole = "", fraction = "", suffix = ""] = match;
  const nanos = roundUp(BigInt(`${whole}${fraction}`) * nanosPerUnit(suffix), 10n ** BigInt(fraction.length));
  const amount =
    isBinary(suffix) && nanos >= 1024n * nano ? binaryText(roundUp(nanos, nano)) : decimalText(nanos);
  return sign === "-" && nanos !== 0n ? `-${amount}` : amount;
}

function isBinary(suffix: string): boolean {
  return suffix.endsWith("i");
}

function nanosPerUnit(suffix: string): bigint {
  if (isBinary(suffix)) return nano * 1024n ** BigInt(binarySuffixes.findIndex((one) => one === suffix));
  return 1000n ** BigInt(decimalSuffixes.findIndex((one) => one === suffix));
}

function decimalText(nanos: bigint): string {
  if (nanos === 0n) return "0";
  let amount = nanos;
  let index = 0;
  while (amount % 1000n === 0n && index < decimalSuffixes.length - 1) {
    amount /= 1000n;
    index += 1;
  }
  return `${amount}${decimalSuffixes[index]}`;
}

function binaryText(units: bigint): string {
  let amount = units;
  let index = 0;
  while (amount % 1024n === 0n && index < binarySuffixes.length - 1) {
    amount /= 1024n;
    index += 1;
  }
  return `${amount}${binarySuffixes[index]}`;
}

function roundUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
