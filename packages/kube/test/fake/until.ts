/** Resolves as soon as the condition holds; fails with the description when it does not for too long. */
export async function until(what: string, condition: () => boolean, limitMs = 5000): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`still not so: ${what}`);
    // Asks again.
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
}
