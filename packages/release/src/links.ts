// Links of a README that is read outside of the repository.
import { posix } from "node:path";

const repository = "https://github.com/plimsoll/plimsoll";

export interface LinkedFrom {
  /** Of the package, in the repository. */
  readonly folder: string;
  /** Files of the package. */
  readonly inside: ReadonlySet<string>;
  readonly tag: string;
}

/** Links that leave the package lead to the repository at the tag; those inside stay as they are. */
export function withResolvingLinks(markdown: string, { folder, inside, tag }: LinkedFrom): string {
  return markdown.replaceAll(/\]\(([^)\s]+)\)/g, (whole, target: string) => {
    if (/^([a-z]+:|#)/i.test(target)) return whole;
    const [path = "", anchor] = target.split("#");
    if (inside.has(posix.normalize(path))) return whole;
    const place = posix.join(folder, path);
    return `](${repository}/blob/${tag}/${place}${anchor === undefined ? "" : `#${anchor}`})`;
  });
}
