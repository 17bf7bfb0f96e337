// A share in percent.

/** Never rounded up to all of them. */
export function percent(share: number): string {
  return `${Math.floor(share * 10_000) / 100} %`;
}
