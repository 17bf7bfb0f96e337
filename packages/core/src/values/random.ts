// A generator of random numbers that are functions of its state.

/** 32 bits at a time: sfc32, as in PractRand. */
export function sfc32(first: number, second: number, third: number, counter: number): () => number {
  let [a, b, c] = [first, second, third];
  let count = counter;
  return () => {
    const sum = (((a + b) | 0) + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
}
