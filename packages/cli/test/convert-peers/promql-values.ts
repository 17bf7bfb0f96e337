/** The values of converted queries: expressions over series of one element without labels. */

/** Undefined: an empty vector. */
export type Vector = number | undefined;

/** The value of an expression, by the values of the series in it. */
export function valueOf(query: string, series: Readonly<Record<string, Vector>>): Vector {
  const tokens = query.match(/[A-Za-z_]\w*|\d+(?:\.\d+)?|[-+*/(),<>]/g) ?? [];
  let at = 0;
  const take = (...texts: readonly string[]): string | undefined =>
    texts.includes(tokens[at] ?? "") ? tokens[at++] : undefined;

  const either = (): Vector => {
    let value = compared();
    while (take("or") !== undefined) {
      const other = compared();
      value ??= other;
    }
    return value;
  };
  const compared = (): Vector => {
    let value = added();
    for (let sign = take("<", ">"); sign !== undefined; sign = take("<", ">")) {
      const isBool = take("bool") !== undefined;
      const bound = added();
      const holds =
        value !== undefined && bound !== undefined && (sign === "<" ? value < bound : value > bound);
      if (isBool) value = value === undefined ? undefined : Number(holds);
      else value = holds ? value : undefined;
    }
    return value;
  };
  const binary =
    (next: () => Vector, signs: Readonly<Record<string, (a: number, b: number) => number>>) => (): Vector => {
      let value = next();
      for (let sign = take(...Object.keys(signs)); sign !== undefined; sign = take(...Object.keys(signs))) {
        const other = next();
        value = value === undefined || other === undefined ? undefined : signs[sign]?.(value, other);
      }
      return value;
    };
  const factor = (): Vector => {
    const token = tokens[at++] ?? "";
    if (token === "(") return closed(either());
    if (token === "-") {
      const value = factor();
      return value === undefined ? undefined : -value;
    }
    if (token === "sum" || token === "vector") {
      take("(");
      return closed(either());
    }
    if (token === "clamp_min") {
      take("(");
      const value = either();
      take(",");
      const least = either() ?? 0;
      return closed(value === undefined ? undefined : Math.max(value, least));
    }
    if (token === "Inf") return Number.POSITIVE_INFINITY;
    return /^\d/.test(token) ? Number(token) : series[token];
  };
  const closed = (value: Vector): Vector => {
    take(")");
    return value;
  };
  const multiplied = binary(factor, { "*": (a, b) => a * b, "/": (a, b) => a / b });
  const added = binary(multiplied, { "+": (a, b) => a + b, "-": (a, b) => a - b });
  return either();
}
