// Gives the search of VitePress's theme the roles of a dialog with a combobox.
import type { Plugin } from "vitepress";

/**
 * In the theme the whole dialog is a button, with a form in it, and each option has a link in it: what is in a button or
 * in an option has no meaning for assistive technology. Here the box is a dialog, the field a combobox, and the link
 * itself the option.
 */
const changes: readonly (readonly [from: RegExp, to: string, times?: number])[] = [
  [
    /role="button"\s+:aria-owns="[^"]*"\s+aria-expanded="true"\s+aria-haspopup="listbox"/,
    'role="dialog" aria-modal="true"',
  ],
  [
    /aria-autocomplete="both"/,
    `role="combobox" aria-autocomplete="list" aria-haspopup="listbox" :aria-expanded="results?.length ? 'true' : 'false'"`,
  ],
  [
    /:id="'localsearch-item-' \+ index"\s+:aria-selected="selectedIndex === index \? 'true' : 'false'"\s+role="option"/,
    `:role="results?.length ? 'none' : undefined"`,
  ],
  [
    /<a\s+:href="withBase\(p\.id\)"\s+class="result"/,
    `<a :href="withBase(p.id)" class="result" :id="'localsearch-item-' + index" ` +
      `:aria-selected="selectedIndex === index ? 'true' : 'false'" role="option"`,
  ],
  // Its name is what it shows.
  [/\s+:aria-label="\[\.\.\.p\.titles, p\.title\]\.join\(' > '\)"/, ""],
  [/<span class="title-icon">#/, '<span class="title-icon" aria-hidden="true">#'],
  // A key has no name of its own that could be replaced; a picture of one has.
  [/<kbd :aria-label=/g, '<kbd role="img" :aria-label=', 4],
];

/** @throws where the component is not the one that the changes are for. */
export function withDialogRoles(component: string): string {
  return changes.reduce((code, [from, to, times = 1]) => {
    if (code.split(from).length !== times + 1)
      throw new Error(
        `VPLocalSearchBox.vue has changed: ${String(from)} is not in it ${times} times; see ${import.meta.url}`,
      );
    return code.replace(from, () => to);
  }, component);
}

export const searchDialog: Plugin = {
  name: "plimsoll-search-dialog",
  enforce: "pre",
  transform: (code, id) =>
    id.endsWith("/theme-default/components/VPLocalSearchBox.vue") ? withDialogRoles(code) : undefined,
};
