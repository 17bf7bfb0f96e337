import { parseSelector, type Selector, SelectorError } from "@plimsoll/core/selector";

const maxKept = 20_000;

/** Reads the text of a scale's selector, each once; undefined for what selects nothing, or cannot be read. */
export function createSelectorReader(): (text: string) => Selector | undefined {
  const known = new Map<string, Selector>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const selector = read(text);
    if (known.size >= maxKept) known.clear();
    if (selector !== undefined) known.set(text, selector);
    return selector;
  };
}

function read(text: string): Selector | undefined {
  if (text === "") return undefined;
  try {
    return parseSelector(text);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}
