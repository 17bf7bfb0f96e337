// What a quantity amounts to, near enough to draw and to sort by; decisions are made from exact ones.

const factors: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Null for what is not a quantity. */
export function amountOf(text: string): number | null {
  const [, digits = "", suffix = ""] =
    /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([a-zA-Z]{0,2})$/.exec(text) ?? [];
  const factor = factors[suffix];
  return digits === "" || factor === undefined ? null : Number(digits) * factor;
}
