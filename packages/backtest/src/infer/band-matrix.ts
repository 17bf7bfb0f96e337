// Least squares with equations that each look at a few neighbors: the normal matrix is a narrow band.

export interface Equation {
  readonly first: number;
  readonly weights: readonly number[];
  readonly value: number;
  readonly by: number;
}

/**
 * Equations Σ weight·x = value are added; the solution fits all of them best.
 * An equation has weights of at most `width` unknowns.
 */
export function createBandSystem(size: number, width: number) {
  // Row by row: the diagonal, and what is left of it.
  const matrix = new Float64Array(size * width);
  const right = new Float64Array(size);
  return {
    /** The weights are of the unknowns from `first` on; a heavier equation counts more. */
    add({ first, weights, value, by }: Equation): void {
      for (const [at, weight] of weights.entries()) {
        const row = first + at;
        if (weight === 0) continue;
        right[row] = (right[row] ?? 0) + by * weight * value;
        for (let left = 0; left <= at; left++) {
          const cell = row * width + (at - left);
          matrix[cell] = (matrix[cell] ?? 0) + by * weight * (weights[left] ?? 0);
        }
      }
    },
    solve(): Float64Array {
      factor(matrix, size, width);
      return substitute(matrix, right, width);
    },
  };
}

/** Cholesky's: the lower triangle takes the place of the matrix. */
function factor(matrix: Float64Array, size: number, width: number): void {
  for (let row = 0; row < size; row++) {
    for (let back = Math.min(row, width - 1); back >= 0; back--) {
      const column = row - back;
      let sum = matrix[row * width + back] ?? 0;
      const oldest = Math.max(0, row - width + 1);
      for (let k = oldest; k < column; k++)
        sum -= (matrix[row * width + row - k] ?? 0) * (matrix[column * width + column - k] ?? 0);
      matrix[row * width + back] =
        back === 0 ? Math.sqrt(Math.max(sum, Number.MIN_VALUE)) : sum / (matrix[column * width] ?? 1);
    }
  }
}

function substitute(lower: Float64Array, right: Float64Array, width: number): Float64Array {
  const solution = Float64Array.from(right);
  const size = right.length;
  for (let row = 0; row < size; row++) {
    let sum = solution[row] ?? 0;
    for (let k = Math.max(0, row - width + 1); k < row; k++)
      sum -= (lower[row * width + row - k] ?? 0) * (solution[k] ?? 0);
    solution[row] = sum / (lower[row * width] ?? 1);
  }
  for (let row = size - 1; row >= 0; row--) {
    let sum = solution[row] ?? 0;
    for (let k = row + 1; k < Math.min(size, row + width); k++)
      sum -= (lower[k * width + k - row] ?? 0) * (solution[k] ?? 0);
    solution[row] = sum / (lower[row * width] ?? 1);
  }
  return solution;
}
