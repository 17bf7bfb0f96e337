/** Strings that represent objects in keys of caches, each for as long as its object exists. */
export function createObjectIds(): (object: object) => string {
  const ids = new WeakMap<object, string>();
  let last = 0;
  return (object) => {
    const known = ids.get(object);
    if (known !== undefined) return known;
    last += 1;
    const id = String(last);
    ids.set(object, id);
    return id;
  };
}
