// Where a link of a page leads on the site: to a page of it, or to the repository.
import { posix } from "node:path";

export interface LinkContext {
  /** Of the page, below docs. */
  readonly page: string;
  /** The address of the repository, without a slash at its end. */
  readonly repository: string;
  /** Of a path from the repository's root; undefined when there is nothing. */
  kindOf(path: string): "file" | "folder" | undefined;
}

const folder = "docs";

/**
 * A page of docs stays relative; a README of docs is the index of its folder. What else the repository has is at its
 * address, on the default branch.
 * @throws on a link to what the repository does not have
 */
export function linkOf(target: string, { page, repository, kindOf }: LinkContext): string {
  if (target === "" || /^(?:[a-z][a-z\d+.-]*:|#|\/\/)/i.test(target)) return target;
  const [path = "", ...anchor] = target.split("#");
  const place = posix.join(folder, posix.dirname(page), path).replace(/\/$/, "");
  const kind = kindOf(place);
  if (kind === undefined)
    throw new Error(`docs/${page}: the link ${target} leads to ${place}, which does not exist`);
  const hash = anchor.length === 0 ? "" : `#${anchor.join("#")}`;
  if (place.startsWith(`${folder}/`) && place.endsWith(".md"))
    return `${path.replace(/(^|\/)README\.md$/, "$1index.md")}${hash}`;
  return `${repository}/${kind === "file" ? "blob" : "tree"}/HEAD/${place}${hash}`;
}

/** The address for readers of a repository as package.json has it: `git+https://HOST/NAME.git`. */
export function repositoryAddress(url: string): string {
  const address = url.replace(/^git\+/, "").replace(/\.git$/, "");
  if (!/^https:\/\/[^/]+\/\S+[^/]$/.test(address))
    throw new Error(`package.json: repository.url is ${url}; git+https://HOST/NAME.git is expected`);
  return address;
}
