/** Nearly as long as a test may take. */
const limitMs = 100_000;

/** Resolves as soon as the condition holds; fails with the description when it never does. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`still not so: ${what}`);
    // Asks again.
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
}
